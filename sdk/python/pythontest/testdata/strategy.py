"""A strategy that behaves as its option "trouble" says."""

import os
import sys
import threading
import time

from hyfair.plugin import (
    Description, Finished, Incompatible, InvalidOption, Move, MoveKind, Option, Preset, Session, Strategy,
    Unsupported, serve)

print("printed while the program is being loaded")

if os.environ.get("TROUBLE") == "import":
    import no_such_module_anywhere  # noqa: F401


class Trouble(Strategy):
    def describe(self):
        if os.environ.get("TROUBLE") == "describe":
            raise Incompatible("no licence")
        return Description(
            name="trouble", version="1.2.3", summary="for tests", needs_rows=True, lag=3,
            options=[Option("trouble", "none", "what to do"), Option("count", "5")],
            presets=[Preset("trouble-short", "two", {"count": "2"})])

    def start(self, space, options):
        trouble = options.options["trouble"]
        if trouble == "start":
            raise ValueError("no luck\nin two lines")
        if trouble == "option":
            raise InvalidOption("trouble=option: it is out of range")
        if trouble == "nothing":
            return None
        return Walk(space, options)


class Walk(Session):
    def __init__(self, space, options):
        self.options = options
        self.trouble = options.options["trouble"]
        self.rows = options.rows
        self.asked = 0
        self.moves = 0

    def next(self, told, want):
        self.asked += 1
        print("printed in a call")
        os.write(1, b"and by a library\n")
        if self.trouble == "next" and self.asked == 2:
            raise KeyError("an idea")
        if self.trouble == "sys.exit":
            sys.exit("enough")
        if self.trouble == "exit":
            print("out of ideas", file=sys.stderr, flush=True)
            os._exit(5)
        if self.trouble == "empty":
            return []
        if self.trouble == "hang":
            threading.Event().wait()
        if self.trouble == "polite":
            self.options.cancel.wait()
        if self.trouble == "spin":
            while True:
                pass
        if self.trouble == "long":
            raise RuntimeError("x" * 20_000)
        if self.trouble == "sleep":
            time.sleep(0.3)
        if self.asked > int(self.options.options["count"]):
            raise Finished
        out = []
        for _ in range(min(want, len(self.rows))):
            self.moves += 1
            row = self.rows[self.moves % len(self.rows)]
            out.append(Move(self.moves, row, round=len(told), chain=self.options.chains, kind=MoveKind.SEED_FROM))
        return out

    def evaluations(self):
        return 10 * self.moves

    def close(self):
        if self.trouble == "close":
            raise Unsupported("cannot be closed")


if __name__ == "__main__":
    serve.strategy(Trouble())
