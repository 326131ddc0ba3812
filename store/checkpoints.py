"""Checkpoints of a run, fenced like all that it writes: what a worker wrote after it lost the run is not taken."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncCursor
from psycopg.rows import DictRow, dict_row

from store import investigations
from store.database import Database


class FencedSaver(AsyncPostgresSaver):
    """The checkpoints of one run. Waits for a database that is away; raises FencedOff when the run is another's."""

    def __init__(self, database: Database, investigation: str, token: int, patience: float) -> None:
        super().__init__(conn=None)  # type: ignore[arg-type]  # all its statements go through _cursor
        self._database = database
        self._investigation = investigation
        self._token = token
        self._patience = patience  # seconds

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:  # noqa: ARG002
        async with self.lock, self._database.connection() as connection, connection.transaction():
            await investigations.hold(connection, self._investigation, self._token)
            async with connection.cursor(binary=True, row_factory=dict_row) as cursor:
                yield cursor

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """What was kept last."""
        read = super().aget_tuple
        return await self._database.again(lambda: read(config), self._patience)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a state."""
        put = super().aput
        return await self._database.again(lambda: put(config, checkpoint, metadata, new_versions), self._patience)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep what a finished node of an unfinished step gave."""
        put = super().aput_writes
        await self._database.again(lambda: put(config, writes, task_id, task_path), self._patience)
