"""Runs scripts in forks of a Python that has imported their packages already.

Importing matplotlib and pandas takes longer than drawing most figures. So a build starts one process that imports
them, and each job becomes a fork of it: ``warm_python.py STAGE SCRIPT ARGUMENT…`` behaves like ``python SCRIPT
ARGUMENT…``. It falls back to exactly that where there is no such process. Only third-party packages are imported
beforehand, never the project's own code, and every job has a fork of its own, so no job sees another.

The process ends, and takes running jobs with it, as soon as the build that started it ends, however that happened: it
watches a pipe whose other end only the build holds. A job whose own process is killed is killed as well.
"""

import contextlib
import importlib
import json
import os
import runpy
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

ADDRESS = "ROOTDK_WARM_PYTHON"
# Each stage goes on where the one before it stands, so pandas is imported once.
STAGES = {
    "tables": ("numpy", "pandas", "yaml", "jinja2", "argparse", "scipy.special", "numpy.polynomial"),
    "figures": (
        "matplotlib.figure",
        "matplotlib.style",
        "matplotlib.ticker",
        "matplotlib.backends.backend_agg",
        "matplotlib.backends.backend_pdf",
        "matplotlib.backends.backend_svg",
        "fontTools.subset",
    ),
}
PATIENCE = 30.0  # seconds that a job waits for the imports before it does them itself
SIGNALLED = 128  # plus a signal's number: how a killed fork is told from one that exited
LONGEST_SOCKET_PATH = 90  # bytes; the system allows little over 100


def start() -> "subprocess.Popen[bytes] | None":
    """Start the process for this build and tell the jobs of it through the environment.

    Returns
    -------
    subprocess.Popen or None
        To be kept for as long as the build runs; None where forking a Python with packages is not reliable, or where
        the process cannot be started. Jobs then run as ordinary processes.
    """
    os.environ.pop(ADDRESS, None)
    if sys.platform != "linux":
        return None
    try:
        folder = tempfile.mkdtemp(prefix="rootdk-")
        if len(os.fsencode(folder)) > LONGEST_SOCKET_PATH:
            os.rmdir(folder)
            return None
        # One thread: forks of a process with BLAS threads are not safe, and parallelism is the build's business.
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        process = subprocess.Popen(
            [sys.executable, __file__, "--serve", folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
    except OSError:
        return None
    os.environ[ADDRESS] = json.dumps([folder, process.pid, os.getpid()])
    return process


def run(stage: str, command: "list[str]") -> int:
    """Run a script in a fork, or in a process of its own where there is nothing to fork from.

    Parameters
    ----------
    stage : str
        Which packages it needs; a key of ``STAGES``.
    command : list of str
        The script and its arguments.

    Returns
    -------
    int
        The script's exit code.
    """
    try:
        folder, process, build = json.loads(os.environ.get(ADDRESS, "null"))
    except (TypeError, ValueError):
        return subprocess.call([sys.executable, *command])
    connection = _connect(os.path.join(folder, stage), process)
    if connection is None:
        if not _is_alive(build):
            print("The build that asked for this job has ended.", file=sys.stderr)
            return 1
        return subprocess.call([sys.executable, *command])
    with connection:
        request = json.dumps({"folder": os.getcwd(), "command": command}).encode()
        header = len(request).to_bytes(8, "big")
        socket.send_fds(connection, [header], [0, 1, 2])
        connection.sendall(request)
        answer = connection.recv(1)
    if not answer or answer[0] > SIGNALLED:
        signal_ = f" by signal {answer[0] - SIGNALLED}" if answer else ""
        print(f"The process that ran this job was killed{signal_}; perhaps memory ran out.", file=sys.stderr)
        return 1
    return answer[0]


def _connect(address: str, process: int) -> "socket.socket | None":
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(address)
        except OSError:
            connection.close()
        else:
            return connection
        if not _is_alive(process):
            return None
        time.sleep(0.01)
    return None


def _is_alive(process: int) -> bool:
    """Return whether a process runs; one that has ended and only waits to be noticed does not."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (OSError, IndexError):
        return False


def serve(folder: str) -> None:
    """Import each stage's packages and answer its requests until the build ends."""
    lifeline = 0
    last = list(STAGES)[-1]
    for stage, packages in STAGES.items():
        for package in packages:
            importlib.import_module(package)
        if stage == "figures":
            _draw_once()
            _parse_fonts()
        if stage == last or os.fork() > 0:
            _Server(folder, stage, lifeline).serve()
            if stage != last:
                # The later stages have the same lifeline; whoever comes last takes the folder away.
                with contextlib.suppress(ChildProcessError):
                    os.wait()
                shutil.rmtree(folder, ignore_errors=True)
            return


def _draw_once() -> None:
    """Draw and save a little, so that matplotlib has its fonts and the grammar of its mathematics at hand."""
    from io import BytesIO

    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1), layout="constrained")
    figure.subplots().set_title("$x_k$", family="STIXGeneral", math_fontfamily="stix")
    for kind in ("png", "svg", "pdf"):
        figure.savefig(BytesIO(), format=kind)


def _parse_fonts() -> None:
    """Have fontTools take the fonts of the figures apart, which it would do anew for every PDF.

    A fork may take each parsed font once, since cutting it down to the letters of a figure changes it; whoever asks for
    it again, or for another font, gets it from its file.
    """
    from io import BytesIO

    from fontTools import subset
    from matplotlib.font_manager import FontProperties, findfont

    load, options = subset.load_font, subset.Options()
    parsed = {}
    for style, weight in (("normal", "normal"), ("italic", "normal"), ("normal", "bold")):
        path = os.fspath(findfont(FontProperties(family="STIXGeneral", style=style, weight=weight)))
        with open(path, "rb") as file:
            # In memory: forks share the place in an open file.
            parsed[path] = load(BytesIO(file.read()), options)
        for table in ("glyf", "hmtx", "post", "cmap", "GDEF", "GSUB", "GPOS"):
            if table in parsed[path]:
                parsed[path][table].ensureDecompiled() if table.startswith("G") else parsed[path][table]

    def load_font(fontFile: str, options: subset.Options, *others: object, **more: object) -> object:
        alike = not others and not more and not options.recalc_timestamp and options.recalc_bounds == as_parsed
        font = parsed.pop(os.fspath(fontFile), None) if alike and isinstance(fontFile, str | os.PathLike) else None
        return load(fontFile, options, *others, **more) if font is None else font

    as_parsed = options.recalc_bounds
    subset.load_font = load_font


class _Server:
    def __init__(self, folder: str, stage: str, lifeline: int) -> None:
        self._selector = selectors.DefaultSelector()
        self._listener = socket.socket(socket.AF_UNIX)
        # Listening before it has its name, so that whoever finds the name finds someone listening.
        unnamed = os.path.join(folder, f".{stage}")
        self._listener.bind(unnamed)
        self._listener.listen(64)
        os.rename(unnamed, os.path.join(folder, stage))
        self._jobs: dict[int, tuple[int, socket.socket]] = {}  # by the pipe that closes when the job has ended
        self._selector.register(lifeline, selectors.EVENT_READ, self._end)
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        self._running = True

    def serve(self) -> None:
        while self._running:
            for key, _ in self._selector.select():
                key.data(key.fileobj)

    def _end(self, lifeline: int) -> None:
        if os.read(lifeline, 1):
            return
        self._running = False
        for process, _ in self._jobs.values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def _accept(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        try:
            header, files, _, _ = socket.recv_fds(connection, 8, 3)
            request = json.loads(_receive(connection, int.from_bytes(header, "big")))
        except (OSError, ValueError):
            connection.close()
            return
        ended, ends = os.pipe()
        process = os.fork()
        if process == 0:
            self._selector.close()
            os.close(ended)
            _become(request["folder"], request["command"], files)
        os.close(ends)
        for file in files:
            os.close(file)
        self._jobs[ended] = (process, connection)
        self._selector.register(ended, selectors.EVENT_READ, self._answer)
        self._selector.register(connection, selectors.EVENT_READ, self._abandoned)

    def _answer(self, ended: int) -> None:
        process, connection = self._jobs.pop(ended)
        _, status = os.waitpid(process, 0)
        code = os.waitstatus_to_exitcode(status)
        self._selector.unregister(ended)
        self._selector.unregister(connection)
        os.close(ended)
        with connection, contextlib.suppress(OSError):
            connection.send(bytes([min(code, SIGNALLED) if code >= 0 else SIGNALLED - max(code, -127)]))

    def _abandoned(self, connection: socket.socket) -> None:
        for process, waiting in self._jobs.values():
            if waiting is connection:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)


def _receive(connection: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(size - len(parts))
        if not part:
            raise ValueError("the job went away")
        parts += part
    return bytes(parts)


def _become(folder: str, command: "list[str]", files: "list[int]") -> None:
    """Run the script in this fork as if Python had been started with it, and end."""
    code = 1
    try:
        for target, file in enumerate(files):
            os.dup2(file, target)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.chdir(folder)
        sys.argv = list(command)
        sys.path[0] = os.path.dirname(os.path.abspath(command[0]))
        runpy.run_path(command[0], run_name="__main__")
        code = 0
    except SystemExit as exit_:
        if exit_.code is None or isinstance(exit_.code, int):
            code = exit_.code or 0
        else:
            print(exit_.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code & 0xFF)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])
    else:
        sys.exit(run(sys.argv[1], sys.argv[2:]))
