"""Certificates for one test, of authorities of its own."""
import base64
import datetime
import hashlib
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def make_certificate(directory, name, *, authority=None, hosts=()):
    """A certificate in DIRECTORY, for this machine by its address and by HOSTS; of an authority of its own when none is given.
    Gives the authority and the pin of the key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    issuer, signer = authority or (subject, key)
    now = datetime.datetime.now(datetime.timezone.utc)
    alternative = x509.SubjectAlternativeName(
        [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), *(x509.DNSName(host) for host in hosts)])
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.BasicConstraints(ca=authority is None, path_length=None), critical=True))
    if authority is not None:
        builder = builder.add_extension(alternative, critical=False)
    certificate = builder.sign(signer, hashes.SHA256())
    directory.mkdir(exist_ok=True)
    (directory / "certificate.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (directory / "key.pem").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    public = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    pin = "sha256//" + base64.b64encode(hashlib.sha256(public).digest()).decode()
    return (subject, key), pin
