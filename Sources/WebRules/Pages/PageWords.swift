internal import Pages

extension PageLanguage {
  /// The words of the door's own pages in it.
  var words: PageWords { self == .japanese ? .japanese : .english }
}

/// The words of the pages that the door has itself.
struct PageWords: Sendable, Hashable {
  let pairTitle: String
  let pairHelp: String
  let code: String
  let join: String
  let notPaired: String
  let pairLink: String
  let secure: String
  let insecure: String
  let insecureWhat: [String]
  let insecureHow: String
  let formExpired: String
  let about: String
  let problemTitle: String
  let toFirstPage: String
  let authorityTitle: String
  let authorityHelp: String
  let authorityFile: String
  let authorityProfile: String
  let authoritySteps: [InstallSteps]
  let authorityCompare: String

  /// How a kind of device installs the certificate authority.
  struct InstallSteps: Sendable, Hashable {
    let device: String
    let steps: String
  }

  static let english = PageWords(
    pairTitle: "Join this device",
    pairHelp: "On the hub, “kith web pair --name NAME” shows a code of eight digits. It is valid for ten minutes.",
    code: "Code", join: "Join", notPaired: "This device has not joined yet.", pairLink: "Join with a code",
    secure: "The connection is encrypted. Everything works here.",
    insecure: "The connection is not encrypted, so not everything works here:",
    insecureWhat: [
      "The microphone: browsers give it to encrypted pages alone.",
      "Writing without a network.",
      "Recording: a device that joins here can only read, because others in the network could copy its key.",
    ],
    insecureHow: "On the hub, “kith web setup” explains how to change that.",
    formExpired: "This page was open for too long. Enter the code again.",
    about: "Programs and shortcuts use the same address: docs/http.md.",
    problemTitle: "That did not work", toFirstPage: "To the first page",
    authorityTitle: "Trust the Kith of this home",
    authorityHelp: "Install this certificate once on each device. It can vouch for names and addresses of a home only.",
    authorityFile: "Certificate (Android, Windows, Linux, Firefox)", authorityProfile: "Profile (iPhone, iPad, Mac)",
    authoritySteps: [
      InstallSteps(
        device: "Android",
        steps: "Settings › Security › Encryption and credentials › Install a certificate › CA certificate."),
      InstallSteps(
        device: "iPhone, iPad",
        steps:
          "Open the profile, then Settings › Profile downloaded › Install. After that: Settings › General › About › "
          + "Certificate Trust Settings, and switch it on."),
      InstallSteps(
        device: "Firefox", steps: "Settings › Privacy & Security › View Certificates › Authorities › Import."),
    ],
    authorityCompare: "Compare this fingerprint with the one that the device shows before you accept:")

  static let japanese = PageWords(
    pairTitle: "この端末を登録する",
    pairHelp: "ハブで「kith web pair --name 名前」を実行すると、8桁のコードが表示されます。有効期限は10分です。",
    code: "コード", join: "登録", notPaired: "この端末はまだ登録されていません。", pairLink: "コードで登録する",
    secure: "通信は暗号化されています。すべての機能を使えます。",
    insecure: "通信が暗号化されていないため、次のことはできません。",
    insecureWhat: [
      "マイクの使用（ブラウザは暗号化されたページにだけ許可します）",
      "ネットワークのない場所での記録",
      "記録（ここで登録した端末は閲覧だけできます。ネットワーク上の他人に鍵を読まれるおそれがあるためです）",
    ],
    insecureHow: "ハブで「kith web setup」を実行すると、変更の方法が表示されます。",
    formExpired: "ページを開いてから時間がたちました。もう一度コードを入力してください。",
    about: "プログラムやショートカットも同じアドレスを使います：docs/http.md",
    problemTitle: "うまくいきませんでした", toFirstPage: "最初のページへ",
    authorityTitle: "この家のKithを信頼する",
    authorityHelp: "この証明書を、端末ごとに一度だけインストールしてください。家庭内の名前とアドレスだけを証明できます。",
    authorityFile: "証明書（Android、Windows、Linux、Firefox）", authorityProfile: "プロファイル（iPhone、iPad、Mac）",
    authoritySteps: [
      InstallSteps(device: "Android", steps: "設定 › セキュリティ › 暗号化と認証情報 › 証明書のインストール › CA証明書"),
      InstallSteps(
        device: "iPhone、iPad",
        steps: "プロファイルを開き、設定 › ダウンロード済みのプロファイル › インストール。続けて、設定 › 一般 › 情報 › 証明書信頼設定 でオンにします。"),
      InstallSteps(device: "Firefox", steps: "設定 › プライバシーとセキュリティ › 証明書を表示 › 認証局証明書 › インポート"),
    ],
    authorityCompare: "受け入れる前に、端末に表示される指紋と次の指紋を比べてください。")
}
