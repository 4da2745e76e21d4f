"""Becomes a program that may open sockets of some families only, as a unit of systemd restricts it (systemd.exec(5)).

restricted.py FAMILIES PROGRAM [ARGUMENT...], with FAMILIES as in RestrictAddressFamilies=: "AF_UNIX AF_INET".
"""
import ctypes
import errno
import os
import socket
import sys

ALLOW, ERRNO, EQUAL = 0x7FFF0000, 0x00050000, 4


class Comparison(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def restrict(allowed):
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_load.argtypes = [ctypes.c_void_p]
    library.seccomp_rule_add_array.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(Comparison)]
    rules = library.seccomp_init(ALLOW)
    number = library.seccomp_syscall_resolve_name(b"socket")
    for family in range(1, 46):
        if family not in allowed:
            refused = Comparison(0, EQUAL, family, 0)
            assert library.seccomp_rule_add_array(rules, ERRNO | errno.EAFNOSUPPORT, number, 1, refused) == 0
    assert library.seccomp_load(rules) == 0


restrict({int(getattr(socket, name)) for name in sys.argv[1].split()})
os.execv(sys.argv[2], sys.argv[2:])
