"""The exceptions that a plugin may raise instead of an answer.

They mean that there is no answer. A limit reached is a result (see
``hyfair.plugin.Reason``), not an error. Each exception keeps its meaning over the wire;
any other exception reaches the user as "the plugin raised ...".
"""

from hyfair.exceptions import Error as _Error


class Error(_Error):
    """The base class of these errors."""


class Unsupported(Error):
    """The plugin does not serve this form, goal or capability."""


class InvalidProblem(Error):
    """The problem, or a message to a session, is malformed."""


class InvalidOption(Error):
    """An option is unknown or its value is out of range."""


class Incompatible(Error):
    """The two sides cannot work together, or a library that the plugin needs is
    missing or too old."""


class Cancelled(Error):
    """The host no longer waits for the answer (``Cancel.raise_if_set``)."""


class Finished(Exception):
    """Raised by ``Session.next`` when the search is over. It is not an error."""
