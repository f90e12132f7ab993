"""The applicants of studies/loan, and steps that make numbers of their columns."""

from pathlib import Path

import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

WORDS = ["purpose", "housing", "sex", "origin"]


def applicants(count=60):
    """Rows from all over the table, and whether each was approved."""
    table = pd.read_csv(Path(__file__).resolve().parents[4] / "studies" / "loan" / "applicants.csv").sample(count, random_state=1)
    return table.drop(columns="approved").reset_index(drop=True), table["approved"].to_numpy()


def encode():
    return make_column_transformer((OneHotEncoder(handle_unknown="ignore"), WORDS), remainder=StandardScaler())  # pyright: ignore[reportArgumentType]  # stubs say str
