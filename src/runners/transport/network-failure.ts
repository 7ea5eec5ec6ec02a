/** Why no connection came about, or why it broke, in plain words. */
export interface NetworkFailure {
  readonly reason: string;
  /** False if the request certainly never left: there was no connection to send it on. */
  readonly mayHaveRun: boolean;
}

const neverSent: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there. Is the server running, and is the port right?',
  ENOTFOUND: 'no such host is known. Check the name in the URL.',
  EAI_AGAIN: 'the host name could not be looked up just now. Check the network connection.',
  EHOSTUNREACH: 'there is no route to that host. Check the network connection or VPN.',
  ENETUNREACH: 'there is no route to that network. Check the network connection or VPN.',
  EADDRNOTAVAIL: 'this machine has no address to connect from. Check the network connection.',
  EACCES: 'this machine does not permit the connection. Check its firewall.',
  EPERM: 'this machine does not permit the connection. Check its firewall.',
  ETIMEDOUT: 'it did not accept a connection in time. Check the host, the port and firewalls between.',
  UND_ERR_CONNECT_TIMEOUT: 'it did not accept a connection in time. Check the host, the port and firewalls between.',
  UND_ERR_DESTROYED: 'this connection was already closed.',
  UND_ERR_CLOSED: 'this connection was already closed.',
  CERT_HAS_EXPIRED: 'its TLS certificate has expired.',
  CERT_NOT_YET_VALID: 'its TLS certificate is not valid yet. Is the clock of this machine right?',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its TLS certificate is self-signed. Name its authority in NODE_EXTRA_CA_CERTS.',
  SELF_SIGNED_CERT_IN_CHAIN: 'its TLS certificate comes from an unknown authority. Name it in NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its TLS certificate comes from an unknown authority. Name it in NODE_EXTRA_CA_CERTS.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'its TLS certificate comes from an unknown authority. Name it in NODE_EXTRA_CA_CERTS.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate is for another host name.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS. Does its URL start with http:// instead of https://?',
};

const maybeSent: Readonly<Record<string, string>> = {
  ECONNRESET: 'it broke the connection off without an answer.',
  EPIPE: 'it broke the connection off without an answer.',
  UND_ERR_SOCKET: 'it broke the connection off without an answer.',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its answer are too large.',
};

/** Explains an error code of Node or undici; `undefined` for one that is not about the network. */
export function networkFailure(code: string): NetworkFailure | undefined {
  const before = neverSent[code];
  if (before !== undefined) return { reason: before, mayHaveRun: false };
  const after = maybeSent[code];
  if (after !== undefined) return { reason: after, mayHaveRun: true };
  if (/^(?:ERR_SSL_|ERR_TLS_|EPROTO|CERT_|UNABLE_TO_|HOSTNAME_MISMATCH)/.test(code)) {
    return { reason: `the TLS handshake failed (${code}).`, mayHaveRun: false };
  }
  return undefined;
}
