"""Writes the tables of table_test.go, with pandas, polars and pyarrow, into this folder.

Made with pandas 3.1.1, polars 2.1.0 and pyarrow 26.0.1. Every file but nested.parquet has the
rows of cells.csv.
"""

import datetime
import decimal
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

HERE = Path(__file__).parent
DAY = datetime.date
TIME = datetime.datetime
ROWS = {
    "age": [30, None, 2**53 + 1],
    "income": [1234.5, None, 1e-05],
    "share": [0.1, 0.5, None],
    "member": [True, None, False],
    "job": ["clerk", "baker", None],
    "note": ['a "quoted", cell', "two\nlines", ""],
    "born": [DAY(1960, 2, 29), None, DAY(2024, 12, 31)],
    "seen": [TIME(2024, 2, 29, 13, 45), TIME(1969, 12, 31, 23, 59, 59, 500000), None],
    "fee": [decimal.Decimal("12.50"), decimal.Decimal("-0.05"), None],
}
SCHEMA = pa.schema([
    ("age", pa.int64()), ("income", pa.float64()), ("share", pa.float32()), ("member", pa.bool_()),
    ("job", pa.dictionary(pa.int8(), pa.string())), ("note", pa.string()), ("born", pa.date32()),
    ("seen", pa.timestamp("us")), ("fee", pa.decimal128(9, 2)),
])

table = pa.table(ROWS, SCHEMA)
pa.parquet.write_table(table, HERE / "arrow.parquet", row_group_size=2, compression="gzip", data_page_version="2.0")
pa.feather.write_feather(table, HERE / "arrow.feather", compression="lz4", chunksize=2)
frame = table.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get)
frame.to_parquet(HERE / "pandas.parquet", index=False)
polars = pl.from_arrow(table)
polars.write_parquet(HERE / "polars.parquet")
pa.parquet.write_table(pa.table({"age": [1], "tags": [["a", "b"]]}), HERE / "nested.parquet")
