"""Makes `task-adapter.bin`: a fine-tuning of `minilm-488.cmt` that embeds a task near to the notes that an agent needs for it.

    pip install numpy==2.4.6 torch==2.15.0 tokenizers==0.23.3
    cargo build --release --example to-english
    python task_adapter.py train TO_ENGLISH WEIGHTS.pt PASSES tasks/*.jsonl
    python task_adapter.py report TO_ENGLISH WEIGHTS.pt tasks/*.jsonl
    python task_adapter.py write WEIGHTS.pt ../task-adapter.bin

A line of `tasks/*.jsonl` is a project: its notes, and tasks with the notes that an agent must have for them ("must") and those that
fit as well ("fits"); all others do not. TO_ENGLISH is the program that the second line builds. What is shipped was trained with four
passes over all files, which takes some ten minutes on one core.

The notes are embedded by the model as it is shipped, so that those in an index serve. Trained are low-rank additions to all matrices
(as in `pair_adapter.py`), biases and normalizations, for tasks only. A needed note is to be nearer than those of the same project that
do not fit, and the cosine with the task is to tell, times a scale and with the cosine by the model itself, how probably a note fits.
"""

import json
import math
import pathlib
import random
import subprocess
import sys

import torch
import torch.nn.functional as functional
from pair_adapter import BEGIN, END, RANK, MiniLm, write_layer
from torch import nn

LONGEST, BATCH = 126, 32
MUST, FITS = 2, 1


class Encoder(MiniLm):
    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(0.1)
        self.norm.requires_grad_(False)

    def forward(self, texts):
        tokens = [[BEGIN, *self.tokenizer.encode(text, add_special_tokens=False).ids[:LONGEST], END] for text in texts]
        longest = max(map(len, tokens))
        x, mask = torch.zeros(len(texts), longest, dtype=torch.long), torch.zeros(len(texts), longest, dtype=torch.bool)
        for at, one in enumerate(tokens):
            x[at, : len(one)], mask[at, : len(one)] = torch.tensor(one), True
        x = self.dropout(self.norm(self.tokens[x] + self.positions[:longest]))
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :])
        return functional.normalize((x * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True), dim=1)

    @torch.no_grad()
    def embed(self, texts):
        self.eval()
        return torch.cat([self(texts[at : at + 64]) for at in range(0, len(texts), 64)])


class TaskModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.tasks = Encoder()
        self.scale, self.bias, self.plain = (nn.Parameter(torch.tensor(one)) for one in (math.log(20.0), -8.0, 5.0))

    def scores(self, vector, plain_vector, notes):
        return (notes @ vector) * self.scale.exp() + (notes @ plain_vector) * self.plain + self.bias


def read(program, paths):
    """A row for each task: the task, its vector and those of the project's notes by the model as it is shipped, and the labels."""
    projects = [json.loads(line) for path in paths for line in pathlib.Path(path).read_text("utf-8").splitlines()]
    texts = {" ".join(text.split()): "" for one in projects for text in [n["text"] for n in one["notes"]] + [t["task"] for t in one["tasks"]]}
    english = subprocess.run([program], input="\n".join(texts), capture_output=True, text=True, check=True).stdout.splitlines()
    texts = dict(zip(texts, english, strict=True))
    model, rows = Encoder(), []
    for project in projects:
        translated = lambda text: texts[" ".join(text.split())]
        notes = model.embed([translated(note["text"]) for note in project["notes"]])
        tasks = [translated(task["task"]) for task in project["tasks"]]
        for text, vector, task in zip(tasks, model.embed(tasks), project["tasks"]):
            label = lambda note: MUST if note["id"] in task["must"] else FITS if note["id"] in task["fits"] else 0
            rows.append((text, vector, notes, torch.tensor([label(note) for note in project["notes"]])))
    return rows


def loss_of(scores, labels):
    weights = (labels == MUST).float() + 0.3 * (labels == FITS).float()
    wanted = torch.where(labels == MUST, 1.0, torch.where(labels == FITS, 0.6, 0.0))
    loss = 0.9 * functional.binary_cross_entropy_with_logits(scores, wanted)
    if weights.sum() > 0:
        others = torch.logsumexp(scores[labels == 0], 0)
        loss = loss + ((torch.logaddexp(scores, others) - scores) * weights).sum() / weights.sum()
        if (labels == MUST).any() and (labels == FITS).any():
            loss = loss + 0.3 * functional.softplus(scores[labels == FITS].max() - scores[labels == MUST].mean())
    return loss


def train(model, rows, passes, rate=6e-4):
    encoder = [one for one in model.tasks.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(
        [{"params": encoder, "lr": rate, "weight_decay": 0.01}, {"params": [model.scale, model.bias, model.plain], "lr": 0.01, "weight_decay": 0.0}]
    )
    steps = int(passes * len(rows) / BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda at: min(1, (at + 1) / 50) * (1 - at / steps))
    step = 0
    while step < steps:
        random.shuffle(rows)
        for start in range(0, len(rows) - BATCH + 1, BATCH)[: steps - step]:
            batch = rows[start : start + BATCH]
            model.train()
            vectors = model.tasks([text for text, *_ in batch])
            losses = [
                loss_of(model.scores(vector, plain_vector, notes), labels) for vector, (_, plain_vector, notes, labels) in zip(vectors, batch)
            ]
            loss = torch.stack(losses).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(encoder, 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            if step % 50 == 0:
                print(step, "of", steps, "loss", round(loss.item(), 3), flush=True)


@torch.no_grad()
def report(model, rows):
    """How often the first needed note is among the first 1, 3 and 5, by the model as it is shipped and by this one."""
    vectors = model.tasks.embed([text for text, *_ in rows])
    for name, all_scores in (
        ("as shipped", [notes @ vector for _, vector, notes, _ in rows]),
        ("for tasks", [model.scores(vector, row[1], row[2]) for vector, row in zip(vectors, rows)]),
    ):
        ranks = []
        for scores, (*_, labels) in zip(all_scores, rows):
            if (labels == MUST).any():
                ranks.append(1 + int(((scores > scores[labels == MUST].max()) & (labels != MUST)).sum()))
        shares = [sum(rank <= most for rank in ranks) / len(ranks) for most in (1, 3, 5)]
        print(name, len(ranks), "tasks:", *(f"{share:.3f}" for share in shares))
    print("scale", model.scale.exp().item(), "plain", model.plain.item(), "bias", model.bias.item())


def write(model, path):
    data = bytearray(b"CME1" + RANK.to_bytes(4, "little"))
    for layer in model.tasks.layers:
        write_layer(data, layer)
    pathlib.Path(path).write_bytes(data)


def main(what, *arguments):
    random.seed(1)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = TaskModel()
    if what == "train":
        program, out, passes, *files = arguments
        train(model, read(program, files), float(passes))
        torch.save(model.state_dict(), out)
    elif what == "report":
        program, weights, *files = arguments
        model.load_state_dict(torch.load(weights))
        report(model, read(program, files))
    else:
        model.load_state_dict(torch.load(arguments[0]))
        write(model, arguments[1])


if __name__ == "__main__":
    main(*sys.argv[1:])
