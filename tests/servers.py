"""Engines that are more than a pip package: PostgreSQL and MariaDB servers, a Spark session.

What is missing is a failure, not a skip: ``make test-engines`` installs it.
"""

from __future__ import annotations

import csv
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

NULL = r"\N"


class Postgres:
    """A server of our own: in a new folder, reached by a socket in that folder only."""

    def __init__(self) -> None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))  # Debian
        initdb = str(found[-1]) if found else shutil.which("initdb")
        assert initdb, "PostgreSQL is not installed: run make test-engines, or apt-get install it"
        self.programs = Path(initdb).parent
        self.folder = Path(tempfile.mkdtemp(prefix="orderless-pg-"))
        self.user: str | None = None
        if os.geteuid() == 0:  # it refuses to run as root
            self.user = next(u for u in ("postgres", "nobody") if _exists(u))
            shutil.chown(self.folder, self.user)

    def start(self) -> None:
        data = self.folder / "data"
        self._run("initdb", "-D", str(data), "-U", "tester", "-A", "trust", "-E", "UTF8",
                  "--no-locale", "--no-sync")  # fmt: skip
        options = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}' -c fsync=off"
        self._run("pg_ctl", "-D", str(data), "-w", "-l", str(self.folder / "log"), "-o", options,
                  "start")  # fmt: skip

    def stop(self) -> None:
        try:
            self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "stop")
        finally:
            shutil.rmtree(self.folder)

    def _run(self, program: str, *arguments: str) -> None:
        # No pipes: the server would inherit them and keep us waiting for their end.
        with tempfile.TemporaryFile("w+") as said:
            done = subprocess.run([str(self.programs / program), *arguments], user=self.user,
                                  stdout=said, stderr=said, cwd="/", check=False)  # fmt: skip
            said.seek(0)
            assert done.returncode == 0, f"{program}: {said.read()}"

    def psql(self, script: str) -> str:
        path = self.folder / "script.sql"
        path.write_text(script, encoding="utf-8")
        psql = shutil.which("psql", path=f"{self.programs}{os.pathsep}{os.environ['PATH']}")
        assert psql, "psql is not installed: run make test-engines"
        command = [psql, "-h", str(self.folder), "-U", "tester", "-d",
                   "postgres", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", str(path)]  # fmt: skip
        environment = {**os.environ, "PGCLIENTENCODING": "UTF8"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def query(self, expressions: list[str], table: pa.Table) -> list[list[Any]]:
        """Put a table into the database, and give the columns that the expressions say, as text."""
        names = ['"' + name.replace('"', '""') + '"' for name in table.column_names]
        kinds = [_KINDS[str(kind)] for kind in table.schema.types]
        source, target = self.folder / "in.csv", self.folder / "out.csv"
        with source.open("w", newline="", encoding="utf-8") as file:
            columns = [column.to_pylist() for column in table.columns]
            for i, row in enumerate(zip(*columns, strict=True)):
                file.write(",".join(_field(value) for value in (i, *row)) + "\n")
        declared = ", ".join(f"{n} {k}" for n, k in zip(names, kinds, strict=True))
        source.chmod(0o644)
        target.touch()
        target.chmod(0o666)
        self.psql(
            f"DROP TABLE IF EXISTS data; CREATE TABLE data (row_ bigint, {declared});\n"
            f"COPY data FROM '{source}' WITH (FORMAT csv, NULL '{NULL}');\n"
            f"COPY (SELECT {', '.join(expressions)} FROM data ORDER BY row_) TO '{target}' "
            f"WITH (FORMAT csv, NULL '{NULL}');\n"
        )
        with target.open(newline="", encoding="utf-8") as file:
            rows = [[None if value == NULL else value for value in row] for row in csv.reader(file)]
        return [list(column) for column in zip(*rows, strict=True)]


_KINDS = {"double": "double precision", "float": "real", "int64": "bigint", "bool": "boolean",
          "string": "text"}  # fmt: skip


def _field(value: Any) -> str:
    """Quote everything but what is not there."""
    if value is None:
        return NULL
    text = repr(value) if isinstance(value, float) else str(value)
    return '"' + text.replace('"', '""') + '"'


def _exists(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True


@contextmanager
def postgres_server() -> Iterator[Postgres]:
    server = Postgres()
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def spark_session() -> Iterator[Any]:
    """A local session with two threads, on loopback."""
    assert shutil.which("java"), "Java is not installed: run make test-engines"
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master("local[2]").appName("orderless tests")
    for name, value in (
        ("spark.ui.enabled", "false"),
        ("spark.ui.showConsoleProgress", "false"),
        ("spark.driver.bindAddress", "127.0.0.1"),
        ("spark.driver.host", "127.0.0.1"),
        ("spark.sql.shuffle.partitions", "2"),
        ("spark.sql.warehouse.dir", tempfile.gettempdir()),
        # A short life: to compile thoroughly, or to collect garbage in threads, does not pay.
        ("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"),
    ):
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield session
    finally:
        session.stop()


class MariaDB:
    """A server of our own: in a new folder, reached by a socket in that folder only."""

    def __init__(self) -> None:
        programs = [shutil.which(name, path=f"{os.environ['PATH']}{os.pathsep}/usr/sbin")
                    for name in ("mariadbd", "mariadb-install-db")]  # fmt: skip
        assert all(programs), "MariaDB is not installed: run make test-engines"
        self.server, self.install = (str(program) for program in programs)
        self.folder = Path(tempfile.mkdtemp(prefix="orderless-my-"))
        self.user = pwd.getpwuid(os.geteuid()).pw_name
        if os.geteuid() == 0:
            self.user = next(u for u in ("mysql", "nobody") if _exists(u))
            shutil.chown(self.folder, self.user)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        data, socket = self.folder / "data", self.folder / "socket"
        log = (self.folder / "log").open("wb")
        common = ["--no-defaults", f"--datadir={data}", f"--user={self.user}"]
        made = [self.install, *common, "--auth-root-authentication-method=normal",
                "--skip-test-db"]  # fmt: skip
        done = subprocess.run(made, stdout=log, stderr=log, cwd="/", check=False)
        assert done.returncode == 0, (self.folder / "log").read_text()
        command = [self.server, *common, f"--socket={socket}", "--skip-networking",
                   "--character-set-server=utf8mb4", "--innodb-buffer-pool-size=64M",
                   f"--pid-file={self.folder / 'pid'}"]  # fmt: skip
        self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/")
        for _ in range(600):
            try:
                self.connect().close()
                return
            except OSError:
                assert self.process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.1)
        raise AssertionError((self.folder / "log").read_text())

    def connect(self) -> Any:
        import pymysql

        try:
            return pymysql.connect(unix_socket=str(self.folder / "socket"), user="root",
                                   charset="utf8mb4", autocommit=True)  # fmt: skip
        except pymysql.err.OperationalError as fault:
            raise OSError(str(fault)) from fault

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(60)
        shutil.rmtree(self.folder)

    def query(self, expressions: list[str], table: pa.Table) -> list[list[Any]]:
        """Put a table into the database, and give the columns that the expressions say."""
        names = ["`" + name.replace("`", "``") + "`" for name in table.column_names]
        kinds = {"double": "double", "float": "float", "int64": "bigint", "bool": "boolean",
                 "string": "varchar(80)"}  # fmt: skip
        declared = ", ".join(f"{name} {kinds[str(kind)]}" for name, kind in
                             zip(names, table.schema.types, strict=True))  # fmt: skip
        rows = list(zip(range(table.num_rows), *(c.to_pylist() for c in table.columns),
                        strict=True))  # fmt: skip
        base = self.connect()
        try:
            with base.cursor() as cursor:
                cursor.execute("CREATE DATABASE IF NOT EXISTS here CHARACTER SET utf8mb4")
                cursor.execute("USE here")
                cursor.execute("DROP TABLE IF EXISTS data")
                cursor.execute(f"CREATE TABLE data (row_ bigint primary key, {declared})")
                for start in range(0, len(rows), 2000):
                    written = ",".join(
                        "(" + ",".join(_literal(base, value) for value in row) + ")"
                        for row in rows[start : start + 2000]
                    )
                    cursor.execute(f"INSERT INTO data VALUES {written}")
                cursor.execute(f"SELECT {', '.join(expressions)} FROM data ORDER BY row_")
                return [list(column) for column in zip(*cursor.fetchall(), strict=True)]
        finally:
            base.close()


def _literal(base: Any, value: Any) -> str:
    return repr(value) if isinstance(value, float) else str(base.escape(value))


@contextmanager
def mariadb_server() -> Iterator[MariaDB]:
    server = MariaDB()
    try:
        server.start()
        yield server
    finally:
        server.stop()
