"""The thread that owns a store."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from hallnet.serial import BOUND, SerialThread


def test_items_come_in_order_in_one_thread_and_answers_in_the_loop() -> None:
    threads: set[int] = set()
    answers: list[int] = []
    batches: list[int] = []

    def step(items: list[int]) -> list[int]:
        threads.add(threading.get_ident())
        batches.append(len(items))
        time.sleep(0.002)
        return [item * 2 for item in items]

    def deliver(outputs: list[int]) -> None:
        assert threading.get_ident() == home
        answers.extend(outputs)

    home = threading.get_ident()

    async def main() -> None:
        thread = SerialThread(step, deliver, asyncio.get_running_loop(), most=100)
        for item in range(1_000):
            assert thread.put(item)
        thread.stop()
        thread.stop()
        assert thread.backlog == 0
        assert not thread.put(1)
        await asyncio.sleep(0)

    asyncio.run(main())
    assert answers == [item * 2 for item in range(1_000)]
    assert len(threads) == 1
    assert home not in threads
    assert max(batches) <= 100
    assert len(batches) < 50


def test_a_single_item_is_not_kept_waiting() -> None:
    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        answered: asyncio.Queue[float] = asyncio.Queue()
        thread: SerialThread[float, float] = SerialThread(
            lambda items: items, lambda outputs: answered.put_nowait(time.monotonic() - outputs[0]), loop, gather_ms=500
        )
        taken = []
        for _n in range(20):
            thread.put(time.monotonic())
            taken.append(await answered.get())
        thread.stop()
        return taken

    assert sorted(asyncio.run(main()))[10] < 0.1


def test_what_comes_close_together_is_one_batch() -> None:
    batches: list[int] = []
    began = threading.Event()
    go = threading.Event()

    def step(items: list[int]) -> list[int]:
        batches.append(len(items))
        began.set()
        go.wait(5)
        return []

    async def main() -> None:
        thread = SerialThread(step, lambda outputs: None, asyncio.get_running_loop(), most=256)
        thread.put(0)
        began.wait(5)
        for item in range(300):
            thread.put(item)
        go.set()
        thread.stop()

    asyncio.run(main())
    assert batches == [1, 256, 44]


def test_the_queue_is_bounded() -> None:
    go, begun = threading.Event(), threading.Event()

    def step(items: list[int]) -> list[int]:
        begun.set()
        go.wait(30)
        return []

    async def main() -> None:
        thread = SerialThread(step, lambda outputs: None, asyncio.get_running_loop())
        assert thread.put(0)
        assert begun.wait(30)
        assert sum(thread.put(item) for item in range(BOUND + 1_000)) == BOUND
        assert not thread.put(1)
        assert thread.backlog == BOUND
        go.set()
        thread.stop()

    asyncio.run(main())


def test_an_error_is_fatal_and_said_in_the_loop(caplog: pytest.LogCaptureFixture) -> None:
    steps: list[list[int]] = []

    def step(items: list[int]) -> list[int]:
        steps.append(items)
        raise OSError("the card is gone")

    async def main() -> BaseException:
        loop = asyncio.get_running_loop()
        fatal: asyncio.Future[BaseException] = loop.create_future()
        thread = SerialThread(step, lambda outputs: None, loop, on_fatal=fatal.set_result, name="hall.db")
        thread.put(1)
        error = await asyncio.wait_for(fatal, 5)
        assert not thread.put(2)
        thread.stop()
        return error

    assert str(asyncio.run(main())) == "the card is gone"
    assert steps == [[1]]
    assert "hall.db" in caplog.text


def test_a_loop_that_ended_first_does_not_matter(caplog: pytest.LogCaptureFixture) -> None:
    loop = asyncio.new_event_loop()
    thread: SerialThread[int, int] = SerialThread(lambda items: items, lambda outputs: None, loop)
    loop.close()
    thread.put(1)
    thread.stop()
    assert "event loop has ended" in caplog.text
