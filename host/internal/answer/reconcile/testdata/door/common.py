"""What the scripts of this folder share: rows of applicants, and how a model, its rows and its scores are kept."""
import numpy as np
import pandas as pd

N = 120
NUMBERS, WORDS = ["age", "income", "amount", "months"], ["job", "housing", "sex"]


def applicants(seed=23):
    """Rows as a lender has them, and whether each loan was paid back."""
    random = np.random.default_rng(seed)
    rows = pd.DataFrame({
        "age": random.integers(18, 70, N), "income": random.integers(80_000, 600_000, N) / 100, "amount": random.integers(5, 200, N) * 100,
        "months": random.choice([6, 12, 24, 36, 48], N), "job": random.choice(["clerk", "none", "skilled", "unskilled"], N),
        "housing": random.choice(["own", "rent"], N), "sex": random.choice(["man", "woman"], N),
    })
    logit = rows.age / 20 + rows.income / 1500 - rows.amount / 8000 - rows.months / 30 + (rows.job == "skilled") + 0.8 * (rows.housing == "own") + 0.6 * (rows.sex == "man") + random.normal(0, 0.5, N)
    return rows, (logit > logit.median()).astype(int)


def numbered(rows):
    """The rows with a number for each category."""
    return rows.assign(job=rows.job.astype("category").cat.codes, housing=(rows.housing == "rent").astype(int), sex=(rows.sex == "woman").astype(int))


def write(name, rows, y, scores, label="paid", values=("no", "yes"), **csv):
    """Writes the rows with their label, and the scores."""
    rows.assign(**{label: np.asarray(values)[y] if len(values) else np.asarray(y)}).to_csv(f"{name}.data.csv", index=False, **csv)
    keep(name, scores)


def keep(name, scores):
    pd.DataFrame({"p": np.asarray(scores, dtype=float).reshape(-1)}).to_csv(f"{name}.scores.csv", index=False)
