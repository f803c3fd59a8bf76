"""The event, as Spark types: nothing is inferred, so that a history of one line and one of a billion read the same.

`docs/check.md` defines each field. Fields that a history does not have are null; unlisted fields are not read.
"""

from pyspark.sql.types import ArrayType, BooleanType, DataType, IntegerType, LongType, MapType, StringType, StructField, StructType


def _struct(**fields: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


MOP = _struct(
    m=StringType(),
    log=StringType(),
    v=StringType(),
    o=LongType(),
    seq=LongType(),
    mkey=StringType(),
    hash=LongType(),
    in_ref=StringType(),
)

EVENT = _struct(
    schema_version=IntegerType(),
    run_id=StringType(),
    idx=LongType(),
    t_ns=LongType(),
    client=StringType(),
    api=StringType(),
    process=StringType(),
    type=StringType(),
    f=StringType(),
    op_id=LongType(),
    txn_id=StringType(),
    tx=_struct(tid=StringType(), pid=LongType(), epoch=LongType(), seq=LongType()),
    grp=_struct(id=StringType(), gen=LongType(), member=StringType()),
    iso=StringType(),
    mops=ArrayType(MOP),
    ctl=MapType(StringType(), StringType()),
    error=_struct(**{"class": StringType(), "msg": StringType(), "definite": BooleanType()}),
)
