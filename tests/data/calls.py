"""Every public callable of reject_nb.data with valid arguments, for tests/test_bad_calls.py."""
import tempfile

from reject_nb.data import available, entry, fetch, load, locate, names, needs, read_variant, state

HOME = tempfile.gettempdir()


def _skip_without_iris(split):
    return needs("iris", split=split)(lambda: None)()


def calls():
    iris = entry("iris")
    return {
        "available": (available, dict(name="iris", home=HOME, split=None)),
        "entry": (entry, dict(name="iris")),
        "fetch": (fetch, dict(name="iris", home=HOME, split=None, progress=False)),
        "load": (load, dict(name="iris", home=HOME, split=None, download=False, progress=False)),
        "locate": (locate, dict(name="iris", home=HOME, split=None, check=True)),
        "names": (names, dict(task="ordinal", paper="strategies")),
        "needs": (_skip_without_iris, dict(split=None)),
        "read_variant": (read_variant, dict(e=iris, v=iris.variants[0], paths=(), split=None)),
        "state": (state, dict(name="iris", home=HOME)),
    }


LEGAL = {
    ("*", "home", "none"): "the documented default: look in the other places only",
    ("*", "home", "text"): "a folder that does not exist holds no set",
    ("read_variant", "paths", "empty"): "a set that scikit-learn brings has no files",
}
