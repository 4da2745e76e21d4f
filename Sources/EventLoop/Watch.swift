/// A source watched by a loop, for as long as this value exists.
///
/// It is stored by the actor that owns the source and is dropped on the loop: see `LoopActor`.
public struct Watch: ~Copyable {
  private let loop: LoopExecutor
  private let id: WatchID

  init(loop: LoopExecutor, id: WatchID) {
    self.loop = loop
    self.id = id
  }

  deinit {
    loop.onLoop { $0.watches.remove(id) }
  }

  /// Changes what is waited for. An empty interest pauses the watch: a peer is then held back by its high-water mark.
  public func setInterest(_ interest: Readiness) {
    loop.onLoop { $0.watches.setInterest(interest, of: id) }
  }
}
