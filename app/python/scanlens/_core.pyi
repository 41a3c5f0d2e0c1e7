from typing import Any

version: str

class DeviceError(RuntimeError):
    cuda_code: int

def __getattr__(name: str) -> Any: ...
