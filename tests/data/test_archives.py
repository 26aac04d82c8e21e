"""Tests of nbs/data/01_archives.ipynb, extracted from its test cells: edit them there."""
import bz2
import gzip
import io
import numpy as np
import pytest
import tarfile
import zipfile

from reject_nb.data.archives import Bundle, Member, inflate, unlzw

class _Compress:
    "The encoder of Unix compress, checked against `gzip -d` when this was written."
    def __init__(self, max_bits):
        self.out, self.max_bits = bytearray([0x1f, 0x9d, 0x80 | max_bits]), max_bits
        self.pending = self.held = self.emitted = 0
        self.bits = 9

    def emit(self, code):
        self.pending |= code << self.held
        self.held += self.bits
        self.emitted += 1
        while self.held >= 8:
            self.out.append(self.pending & 255)
            self.pending >>= 8
            self.held -= 8

    def widen(self):
        while self.emitted % 8: self.emit(0)
        self.bits, self.emitted = self.bits + 1, 0

    def __call__(self, raw):
        table, count, word = {bytes([i]): i for i in range(256)}, 257, b""
        for c in (raw[i:i + 1] for i in range(len(raw))):
            if word + c in table:
                word += c
                continue
            self.emit(table[word])
            if count < 1 << self.max_bits:
                table[word + c] = count
                count += 1
            if count > 1 << self.bits and self.bits < self.max_bits: self.widen()
            word = c
        self.emit(table[word])
        if self.held: self.out.append(self.pending & 255)
        return bytes(self.out)


def _random(low, high, size):
    return np.random.default_rng(0).integers(low, high, size, dtype=np.uint8).tobytes()

RAWS = {"short": b"ab" * 30, "zeros": bytes(1000), "noise": _random(0, 256, 5000),
        "letters": _random(97, 101, 9000)}

@pytest.mark.parametrize("max_bits", [12, 16])
@pytest.mark.parametrize("kind", list(RAWS))
def test_unlzw_inverts_compress(kind, max_bits):
    assert inflate(_Compress(max_bits)(RAWS[kind])) == RAWS[kind]


@pytest.mark.parametrize("data, what", [
    (b"abc", "mark of a .Z"), (b"\x1f\x9d", "mark of a .Z"),
    (b"\x1f\x9d\x90\xff\xff\xff", "damaged: there is no LZW code")])
def test_unlzw_refuses_damage(data, what):
    with pytest.raises(ValueError, match=what): unlzw(data)


def _compress(raw): return _Compress(16)(raw)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, _compress])
def test_nothing_is_unpacked_beyond_the_limit(pack):
    packed = pack(bytes(1000))
    same = inflate(Member(packed, "zeros.x", 1000))
    assert same == bytes(1000) and same.name == "zeros.x" and same.limit == 1000
    with pytest.raises(ValueError, match="zeros.x unpacks to more than 999 bytes"):
        inflate(Member(packed, "zeros.x", 999))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_damaged_files_are_named(pack):
    packed = pack(b"some text " * 50)
    for broken in (packed[:-9], packed[:20] + bytes(10) + packed[30:]):
        with pytest.raises(ValueError, match="t.x is damaged"): inflate(Member(broken, "t.x"))


def _zip(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, content in files.items(): z.writestr(name.replace("__", "/").replace("_", "."), content)
    return out.getvalue()


def _tar(name, content, mode="w:gz"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as t:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        t.addfile(info, io.BytesIO(content))
    return out.getvalue()


def test_bundle_finds_members():
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as z:
        z.writestr("__MACOSX/flowers.data", "shadow")
        z.writestr("deep/flowers.data", "1,2,a")
    files = {"all.zip": _zip(inner_zip=inner.getvalue(), t_gz=gzip.compress(b"zipped")),
             "more.tar.gz": _tar("x/Notes.TXT", b"abc"), "plain.csv.bz2": bz2.compress(b"p")}
    bundle = Bundle(files)
    assert bundle("flowers.data") == b"1,2,a" and bundle("flowers.data").name == "flowers.data"
    assert bundle("t") == b"zipped"
    assert bundle("notes.txt") == b"abc" and bundle("plain.csv") == b"p"
    assert bundle("nothing", "t") == b"zipped"
    with pytest.raises(KeyError, match="nowhere"): bundle("nowhere")

BOMBS = {"zip": ("b.zip", _zip(bomb_txt=bytes(10**6))), "tar": ("b.tar.gz", _tar("bomb.txt", bytes(10**6))),
         "zip in zip": ("b.zip", _zip(inner_zip=_zip(bomb_txt=bytes(10**6)))),
         "gzip in zip": ("b.zip", _zip(bomb_txt_gz=gzip.compress(bytes(10**6)))),
         "big zip in zip": ("b.zip", _zip(inner_zip=b"PK" + bytes(10**6)))}

@pytest.mark.parametrize("kind", list(BOMBS))
def test_bombs_are_refused(kind):
    name, data = BOMBS[kind]
    with pytest.raises(ValueError, match="unpacks to more than 99,999 bytes"):
        Bundle({name: data}, 99_999)("bomb.txt")
    if kind != "big zip in zip": assert Bundle({name: data}, 10**6)("bomb.txt") == bytes(10**6)


@pytest.mark.parametrize("name, data", [
    ("a.zip", b""), ("a.zip", b"PK" + bytes(50)), ("a.tar", b"no tar"),
    ("a.tar.gz", gzip.compress(b"no tar")),
    ("a.zip", _zip(x_txt=b"some text")[:-30]),
    ("a.zip", _zip(x_txt=b"so " * 99).replace(b"x.txt", b"y.txt", 1))])
def test_damaged_archives_are_named(name, data):
    with pytest.raises(ValueError, match=r"(a\.\S+|x\.txt) is damaged"): Bundle({name: data})("x.txt")
