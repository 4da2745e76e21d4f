extension Channel {
  /// Whether it is the browser of a device: it gets every reminder, and its messages are empty.
  public var isBrowser: Bool { if case .push? = self.kind { true } else { false } }
}
