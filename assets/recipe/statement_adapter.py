"""Makes `statement-adapter.bin`: a fine-tuning of `minilm-488.cmt` that tells what kind of statement a sentence is.

    pip install numpy==2.4.6 torch==2.15.0 tokenizers==0.23.3
    cargo run --release --example train-statements -- --english ../../examples/statements/train > TRAIN.tsv
    cargo run --release --example train-statements -- --english ../../examples/statements/prompts >> TRAIN.tsv
    cargo run --release --example train-statements -- --english ../../examples/statements/test > TEST.tsv
    python statement_adapter.py train TRAIN.tsv TEST.tsv WEIGHTS.pt 5
    python statement_adapter.py write WEIGHTS.pt ../statement-adapter.bin

A line of the two files has language, label, context and text, in English word by word, separated by tabs. For what is shipped,
a tenth of `prompts` was left out, to see whether the rest helps (BENCHMARKS.md).

The first three layers stay as they are, so that their output, which is computed anyway, is read only once. Trained are low-rank
additions to the matrices of the other layers (as in `pair_adapter.py`), their biases and normalizations, a vector for each context,
which is added to the start token, and a classifier on the start token and the mean of all tokens. With one core, five passes take
ten minutes.
"""

import math
import pathlib
import random
import struct
import sys

import torch
import torch.nn.functional as functional
from pair_adapter import BEGIN, END, FEATURES, RANK, MiniLm, write_layer, write_vectors
from torch import nn

FIRST, LONGEST, BATCH = 3, 126, 32
KINDS = ["none", "rule", "decision", "fact", "preference"]
CONTEXTS = ["-", "refused", "after"]


class StatementModel(MiniLm):
    def __init__(self):
        super().__init__()
        self.contexts = nn.Parameter(torch.zeros(len(CONTEXTS), FEATURES))
        self.classes, self.dropout = nn.Linear(2 * FEATURES, len(KINDS)), nn.Dropout(0.1)
        nn.init.zeros_(self.classes.weight)
        self.norm.requires_grad_(False)
        self.layers[:FIRST].requires_grad_(False)

    @torch.no_grad()
    def beginnings(self, texts):
        """The output of the first layers for each text."""
        self.eval()
        tokens = [[BEGIN, *self.tokenizer.encode(text, add_special_tokens=False).ids[:LONGEST], END] for text in texts]
        vectors = [None] * len(texts)
        order = sorted(range(len(texts)), key=lambda at: len(tokens[at]))
        for start in range(0, len(order), 64):
            part = order[start : start + 64]
            x, mask = padded([self.tokens[torch.tensor(tokens[at])] + self.positions[: len(tokens[at])] for at in part])
            x = self.norm(x)
            for layer in self.layers[:FIRST]:
                x = layer(x, mask[:, None, None, :])
            for at, one in zip(part, x):
                vectors[at] = one[: len(tokens[at])].clone()
        return vectors

    def forward(self, beginnings, contexts):
        x, mask = padded(beginnings)
        x = torch.cat([x[:, :1] + self.contexts[contexts].unsqueeze(1), x[:, 1:]], 1)
        for layer in self.layers[FIRST:]:
            x = layer(x, mask[:, None, None, :])
        mean = (x * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True)
        return self.classes(self.dropout(torch.cat([x[:, 0], mean], 1)))


def padded(vectors):
    longest = max(len(one) for one in vectors)
    x, mask = torch.zeros(len(vectors), longest, FEATURES), torch.zeros(len(vectors), longest, dtype=torch.bool)
    for at, one in enumerate(vectors):
        x[at, : len(one)], mask[at, : len(one)] = one, True
    return x, mask


def read(path, model):
    rows = [line.split("\t") for line in pathlib.Path(path).read_text("utf-8").splitlines()]
    beginnings = model.beginnings([row[3] for row in rows])
    return [(one, CONTEXTS.index(row[2]), KINDS.index(row[1])) for one, row in zip(beginnings, rows)]


def train(model, rows, passes, rate=6e-4):
    optimizer = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=rate, weight_decay=0.01)
    steps, step = int(passes * math.ceil(len(rows) / BATCH)), 0
    while step < steps:
        random.shuffle(rows)
        batches = []
        for start in range(0, len(rows), BATCH * 20):
            part = sorted(rows[start : start + BATCH * 20], key=lambda row: len(row[0]))
            batches += [part[at : at + BATCH] for at in range(0, len(part), BATCH)]
        random.shuffle(batches)
        for batch in batches[: steps - step]:
            model.train()
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, (step + 1) / 100) * (1 - step / steps)
            vectors, contexts, kinds = zip(*batch)
            scores = model(vectors, torch.tensor(contexts))
            loss = functional.cross_entropy(scores, torch.tensor(kinds), label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            if step % 100 == 0:
                print(step, "of", steps, "loss", round(loss.item(), 3), flush=True)


@torch.no_grad()
def lasting(model, rows):
    """The probability that each statement is meant to last."""
    model.eval()
    parts = [rows[at : at + 64] for at in range(0, len(rows), 64)]
    scores = [model([row[0] for row in part], torch.tensor([row[1] for row in part])) for part in parts]
    return 1 - torch.softmax(torch.cat(scores), 1)[:, 0]


def report(model, rows):
    probability, kinds = lasting(model, rows), torch.tensor([row[2] for row in rows])
    for least in (0.2, 0.35, 0.5, 0.8):
        shares = [100 * (probability[part] >= least).float().mean().item() for part in (kinds > 0, kinds == 0)]
        print(f"{least}: {shares[0]:.1f} % of the lasting, {shares[1]:.1f} % of the others")


def write(model, path):
    data = bytearray(b"CMS1" + struct.pack("<4I", RANK, FIRST, len(CONTEXTS), len(KINDS)))
    write_vectors(data, model.contexts)
    for layer in model.layers[FIRST:]:
        write_layer(data, layer)
    write_vectors(data, model.classes.weight)
    write_vectors(data, model.classes.bias)
    pathlib.Path(path).write_bytes(data)


def main(what, *arguments):
    random.seed(1)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = StatementModel()
    if what == "write":
        model.load_state_dict(torch.load(arguments[0]))
        write(model, arguments[1])
        return
    rows, test = (read(path, model) for path in arguments[:2])
    train(model, rows, float(arguments[3]))
    report(model, test)
    torch.save(model.state_dict(), arguments[2])


if __name__ == "__main__":
    main(*sys.argv[1:])
