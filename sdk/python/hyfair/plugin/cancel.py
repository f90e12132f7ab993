"""How a call learns that its answer is no longer wanted."""

from __future__ import annotations

import threading
from typing import Callable, List, Optional

from .errors import Cancelled


class Cancel:
    """A flag that is set once, from any thread.

    A solver checks it at intervals and returns soon after it is set, with what it
    holds and the reason ``INTERRUPTED``.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: List[Callable[[], None]] = []

    def is_set(self) -> bool:
        """Whether the call was cancelled or interrupted."""
        return self._event.is_set()

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits at most ``timeout`` seconds, and returns whether it is set."""
        return self._event.wait(timeout)

    def raise_if_set(self) -> None:
        """Raises ``Cancelled`` if it is set."""
        if self._event.is_set():
            raise Cancelled("the call was cancelled")

    def on_set(self, callback: Callable[[], None]) -> None:
        """Calls ``callback`` from the thread that sets it; at once if it is set."""
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def set(self) -> None:
        """Sets it. Further calls do nothing."""
        with self._lock:
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()
