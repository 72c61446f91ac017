"""Messages between the coordinator and a worker, over a socket; the coordinator never waits for a worker."""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any

_LENGTH = struct.Struct("<Q")
_CHUNK = 1 << 18


class Channel:
    """One end of a socket. Both ends belong to one user and one run, so that pickles are safe here."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end
        self.is_open = True
        self._in, self._out = bytearray(), bytearray()

    def fileno(self) -> int:
        return self.end.fileno()

    @property
    def has_more_to_send(self) -> bool:
        return bool(self._out) and self.is_open

    def send_nowait(self, message: Any) -> None:
        """Send without waiting: what the other side has no room for yet goes with the next `flush`."""
        content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self._out += _LENGTH.pack(len(content)) + content
        self.flush()

    def flush(self) -> None:
        try:
            while self._out:
                del self._out[: self.end.send(memoryview(self._out)[:_CHUNK].tobytes(), socket.MSG_DONTWAIT)]
        except BlockingIOError:
            pass
        except OSError:
            self._out.clear()  # the other side is gone, which reading will show

    def arrived(self) -> list[Any]:
        """The messages that are here in full."""
        try:
            while self.is_open:
                chunk = self.end.recv(_CHUNK, socket.MSG_DONTWAIT)
                self._in += chunk
                self.is_open = bool(chunk)
        except BlockingIOError:
            pass
        except OSError:
            self.is_open = False
        return list(self._whole())

    def send(self, message: Any) -> None:
        """Send, and wait until it is sent."""
        content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self.end.sendall(_LENGTH.pack(len(content)) + content)

    def receive(self) -> Any:
        """Wait for one message; EOFError where the other side is gone."""
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        return pickle.loads(self._read(length))

    def close(self) -> None:
        self.is_open = False
        self.end.close()

    def _whole(self) -> Any:
        while len(self._in) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._in)
            if len(self._in) < _LENGTH.size + length:
                return
            content = bytes(self._in[_LENGTH.size : _LENGTH.size + length])
            del self._in[: _LENGTH.size + length]
            yield pickle.loads(content)

    def _read(self, length: int) -> bytes:
        found = bytearray()
        while len(found) < length:
            try:
                chunk = self.end.recv(min(length - len(found), 1 << 20))
            except ConnectionResetError:  # it ended without reading all that was sent
                chunk = b""
            if not chunk:
                raise EOFError
            found += chunk
        return bytes(found)
