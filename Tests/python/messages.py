"""The messages of proto/ as Python classes, generated for this run by protoc."""
import importlib
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
_OPTIONS = "options"
_FILES = (_OPTIONS, *sorted(path.stem for path in (ROOT / "proto/kith/v1").glob("*.proto") if path.stem != _OPTIONS))


def _generate():
    # Kept until the process ends: protobuf reads the modules lazily.
    folder = tempfile.TemporaryDirectory(prefix="kith-proto-")
    files = [f"kith/v1/{name}.proto" for name in _FILES]
    subprocess.run(["protoc", "-I", str(ROOT / "proto"), f"--python_out={folder.name}", *files], check=True)
    sys.path.insert(0, folder.name)
    modules = [importlib.import_module(f"kith.v1.{name}_pb2") for name in _FILES]
    return folder, modules


_folder, _modules = _generate()

# Every message and service that travels, by its full name. The options describe methods and are not sent.
TYPES = {
    descriptor.full_name: getattr(module, name)
    for module in _modules[1:]
    for name, descriptor in module.DESCRIPTOR.message_types_by_name.items()
}
SERVICES = {
    f"{service.full_name}/{method.name}": method
    for module in _modules
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
