internal import ArgumentParser
internal import Bus

/// Who answers for the name under which devices reach kith-web.
enum WebWay: String, CaseIterable, ExpressibleByArgument {
  case certificate
  case proxy
  case ownCA = "own-ca"
  case plain

  /// Two sentences for somebody who decides.
  func explanation(_ say: Language) -> String {
    switch self {
    case .certificate:
      say(
        "kith-web has a name that the whole world knows, with a certificate by Tailscale, certbot, lego or Caddy. "
          + "Nothing has to be installed on phones, and speech and work without the network are possible.",
        "世界中で通じる名前と証明書 (Tailscale、certbot、lego、Caddy) を使います。スマートフォンに何も入れずに、声の記録と、つながらないときの記録ができます。")
    case .proxy:
      say(
        "nginx or Caddy on this machine encrypts, and passes requests on to kith-web. "
          + "Take this way if such a proxy serves other pages already.",
        "このマシンの nginx か Caddy が暗号化し、kith-web に渡します。すでにほかのページに使っているときに選んでください。")
    case .ownCA:
      say(
        "kith-web makes a certificate authority for this home, which works without the internet. "
          + "Each phone has to install that authority once, from the page /ca.",
        "kith-web がこの家の認証局を作ります。インターネットは要りません。スマートフォンごとに一度、/ca のページから認証局を入れます。")
    case .plain:
      say(
        "Nothing is encrypted: everybody in the network can read along. "
          + "Browsers may only read, and speech and work without the network are off.",
        "暗号化しません。同じネットワークの人に読まれます。ブラウザーは閲覧だけで、声の記録と、つながらないときの記録はできません。")
    }
  }
}

/// What has to be set up for one way.
struct WebSetup {
  let way: WebWay
  let name: String
  let port: Int
  var certificate = ""
  var keyFile = ""
  /// The path of kith-web, which is installed beside this program.
  var program = ProgramFolder.path + "/kith-web"

  /// The arguments of kith-web.
  var arguments: [String] {
    let host = self.way == .proxy ? "127.0.0.1" : "0.0.0.0"
    return ["--listen", "\(host):\(self.port)", "--state-dir", "/var/lib/kith-web", "--name", self.name]
      + self.protection
  }

  private var protection: [String] {
    switch self.way {
    case .certificate: ["--cert", self.certificate, "--key-file", self.keyFile]
    case .proxy: ["--behind-proxy", "--url", self.url]
    case .ownCA: ["--own-ca"]
    case .plain: ["--insecure-http"]
    }
  }

  /// The address for people.
  var url: String {
    switch self.way {
    case .proxy: "https://\(self.name)"
    case .plain: "http://\(self.name)\(self.port == 80 ? "" : ":\(self.port)")"
    case .certificate, .ownCA: "https://\(self.name)\(self.port == 443 ? "" : ":\(self.port)")"
    }
  }

  /// The drop-in of the system unit: systemd.unit(5).
  var dropIn: String {
    // systemd.service(5), "Command lines": quotes, and % and $ doubled.
    let words = ([self.program] + self.arguments).map { word in
      let doubled = word.map { $0 == "%" || $0 == "$" ? "\($0)\($0)" : $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
      return word.contains(where: { " '\"\\;".contains($0) }) ? "\"\(doubled.joined())\"" : doubled.joined()
    }
    let port =
      self.port < 1024 ? "AmbientCapabilities=CAP_NET_BIND_SERVICE\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\n" : ""
    return "[Service]\nExecStart=\nExecStart=\(words.joined(separator: " "))\n\(port)"
  }

  /// The command for a shell.
  var command: String {
    (["kith-web"] + self.arguments).map { word in
      let isPlain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:@".contains($0)) }
      return isPlain
        ? word : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    }.joined(separator: " ")
  }

  /// The lines for kithd.toml.
  var hubLines: String { "[users]\nkith-web = \"door\"\n\n[web]\nurl = \"\(self.url)\"\n" }

  /// The server of nginx, which passes events on at once and says who calls.
  var nginx: String {
    """
    server {
        listen 443 ssl;
        server_name \(self.name);
        ssl_certificate     /etc/ssl/certs/\(self.name).pem;
        ssl_certificate_key /etc/ssl/private/\(self.name).key;
        client_max_body_size 33m;
        location / {
            proxy_pass http://127.0.0.1:\(self.port);
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header X-Forwarded-Host $http_host;
            proxy_buffering off;
            proxy_request_buffering off;
            proxy_read_timeout 1h;
        }
    }
    """
  }

  /// The site of Caddy, which sets X-Forwarded-For, -Proto and -Host by itself.
  var caddy: String {
    """
    \(self.name) {
        reverse_proxy 127.0.0.1:\(self.port) {
            flush_interval -1
        }
    }
    """
  }
}
