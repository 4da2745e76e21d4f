public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

extension Migration {
  /// The care plan: its items and what they said before, and what was given and measured.
  static let plan = Migration(
    name: "plan",
    sql: """
      -- body: a PlanItem message. stock: what was left at stock_at, in hundredths; NULL = it is not counted.
      CREATE TABLE plan_item (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        state TEXT NOT NULL,
        stock INTEGER,
        stock_at INTEGER NOT NULL DEFAULT 0,
        body BLOB NOT NULL
      ) STRICT;

      -- What the plan said of an item from a moment on; body: a PlanItem message.
      CREATE TABLE plan_version (
        item INTEGER NOT NULL,
        position INTEGER NOT NULL,
        valid_from INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (item, position)
      ) STRICT, WITHOUT ROWID;

      -- body: a Dose message. amount: in hundredths.
      CREATE TABLE dose (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        item INTEGER NOT NULL,
        due INTEGER,
        occurred_at INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        deleted_at INTEGER,
        outcome TEXT NOT NULL,
        amount INTEGER NOT NULL,
        body BLOB NOT NULL
      ) STRICT;
      CREATE INDEX dose_time ON dose (occurred_at, id);
      CREATE INDEX dose_item ON dose (item, occurred_at, id);
      CREATE INDEX dose_due ON dose (item, due) WHERE due IS NOT NULL;
      -- The sum of what was given since the stock was counted reads this alone.
      CREATE INDEX dose_stock ON dose (item, created_at, amount) WHERE deleted_at IS NULL AND outcome <> 'skipped';

      -- body: a MeasurementRecord message. amount, lower: in thousandths of the unit of the kind.
      CREATE TABLE measurement (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        occurred_at INTEGER NOT NULL,
        deleted_at INTEGER,
        amount INTEGER NOT NULL,
        lower INTEGER,
        body BLOB NOT NULL
      ) STRICT;
      CREATE INDEX measurement_time ON measurement (occurred_at, id);
      CREATE INDEX measurement_kind ON measurement (kind, name, occurred_at, id);
      """)

  /// From here on `plan_item.stock` is what is left now. Before, each reader of an item added up what was given since the item was counted.
  static let planStock = Migration(
    name: "plan_stock",
    sql: """
      UPDATE plan_item SET stock = stock - (
        SELECT coalesce(sum(amount), 0) FROM dose
        WHERE dose.item = plan_item.id AND deleted_at IS NULL AND outcome <> 'skipped' AND created_at > stock_at)
      WHERE stock IS NOT NULL;
      DROP INDEX dose_stock;
      -- What was recorded before the stock was counted is not taken off it, and not given back.
      CREATE TRIGGER dose_added AFTER INSERT ON dose
      WHEN NEW.deleted_at IS NULL AND NEW.outcome <> 'skipped' BEGIN
        UPDATE plan_item SET stock = stock - NEW.amount WHERE id = NEW.item AND NEW.created_at > stock_at;
      END;
      CREATE TRIGGER dose_taken_back AFTER UPDATE OF deleted_at ON dose
      WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL AND NEW.outcome <> 'skipped' BEGIN
        UPDATE plan_item SET stock = stock + NEW.amount WHERE id = NEW.item AND NEW.created_at > stock_at;
      END;
      """)

  /// From here on the order of what was recorded tells whether the count knew of it, and not the clock, which may have been set.
  static let planStockOrder = Migration(
    name: "plan_stock_order",
    sql: """
      DROP TRIGGER dose_added;
      DROP TRIGGER dose_taken_back;
      -- counted_dose: the last dose that was recorded before the stock was counted; 0 = none.
      ALTER TABLE plan_item RENAME COLUMN stock_at TO counted_dose;
      UPDATE plan_item SET counted_dose = (
        SELECT coalesce(max(id), 0) FROM dose WHERE dose.item = plan_item.id AND created_at <= plan_item.counted_dose);
      CREATE TRIGGER dose_added AFTER INSERT ON dose
      WHEN NEW.deleted_at IS NULL AND NEW.outcome <> 'skipped' BEGIN
        UPDATE plan_item SET stock = stock - NEW.amount WHERE id = NEW.item;
      END;
      CREATE TRIGGER dose_taken_back AFTER UPDATE OF deleted_at ON dose
      WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL AND NEW.outcome <> 'skipped' BEGIN
        UPDATE plan_item SET stock = stock + NEW.amount WHERE id = NEW.item AND counted_dose < NEW.id;
      END;
      """)
}

extension DatabaseView {
  /// The items of the care plan.
  public var plan: PlanTable<Self> { PlanTable(view: self) }
}

extension PlanVersion {
  /// What the plan says of an item from a moment on.
  ///
  /// - Parameter start: Nanoseconds since 1970.
  public init(_ item: PlanItem, from start: Int64) {
    self.init()
    self.validFrom = .init(nanosecondsSince1970: start)
    self.item = item
  }

  /// From when it counts, in nanoseconds since 1970.
  public var start: Int64 { self.validFrom.nanosecondsSince1970 }
}

/// The items of the care plan, with what they said before.
public struct PlanTable<View: DatabaseView> {
  let view: View

  /// An item; nil if the id is unknown.
  public func get(_ id: String) throws(Failure) -> Planned? {
    try self.view.attempt { database in
      try database.first("\(Planned.selection) WHERE uuid = ?", .text(id), read: Planned.init)
    }
  }

  /// An item that must exist.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func require(_ id: String) throws(Failure) -> Planned {
    guard let item = try self.get(id) else {
      throw .unknownRecord(id, "There is no item '\(id.prefix(64))' in the plan. `kith plan items` lists them.")
    }
    return item
  }

  /// The items, by name.
  ///
  /// - Parameter withEnded: Whether ended ones are among them.
  public func all(withEnded: Bool) throws(Failure) -> [Planned] {
    let items = try self.view.attempt { database in
      try database.all(
        "\(Planned.selection) WHERE ?1 OR state <> 'ended'", .integer(withEnded ? 1 : 0), read: Planned.init)
    }
    return items.sorted { ($0.item.name, $0.item.id) < ($1.item.name, $1.item.id) }
  }

  /// What the plan has said of an item, the oldest first.
  public func versions(of id: String) throws(Failure) -> [PlanVersion] {
    try self.view.attempt { database in
      try database.all(
        """
        SELECT valid_from, body FROM plan_version
        WHERE item = (SELECT id FROM plan_item WHERE uuid = ?) ORDER BY position
        """, .text(id)
      ) { PlanVersion(try PlanItem(serializedBytes: $0.blob(1)), from: $0.integer(0)) }
    }
  }
}

/// An item with what is left of it.
public struct Planned: Sendable {
  /// As it was said last.
  public var item: PlanItem
  /// In hundredths of the unit; nil = it is not counted.
  public var left: Int64?

  fileprivate static let selection = "SELECT body, stock FROM plan_item"

  fileprivate init(_ row: EngineRow) throws {
    self.item = try PlanItem(serializedBytes: row.blob(0))
    self.left = row.isNull(1) ? nil : row.integer(1)
  }
}

extension PlanTable where View == Transaction {
  /// Adds an item, or replaces it; what it said before stays the plan of the time before.
  ///
  /// - Parameter validFrom: From when this counts, in nanoseconds since 1970.
  public func put(_ item: PlanItem, validFrom: Int64) throws(Failure) {
    try self.view.attempt { database in
      let body = EngineValue.blob(try item.serializedBytes())
      try database.run(
        """
        INSERT INTO plan_item (uuid, state, body) VALUES (?1, ?2, ?3)
        ON CONFLICT (uuid) DO UPDATE SET state = excluded.state, body = excluded.body
        """, .text(item.id), .text(item.state), body)
      // A clock that was set back must not put a version before the one that it follows.
      try database.run(
        """
        INSERT INTO plan_version (item, position, valid_from, body)
        SELECT id, (SELECT coalesce(max(position), 0) + 1 FROM plan_version WHERE item = plan_item.id),
          max(?2, (SELECT coalesce(max(valid_from), ?2) FROM plan_version WHERE item = plan_item.id)), ?3
        FROM plan_item WHERE uuid = ?1
        """, .text(item.id), .integer(validFrom), body)
    }
    try self.view.announce(item.id, kind: "plan")
  }

  /// Moves the times of all items to another zone, in which they are the same times of day from now on.
  ///
  /// - Parameters:
  ///   - zone: The name of the zone.
  ///   - now: Nanoseconds since 1970.
  public func move(to zone: String, now: Int64) throws(Failure) {
    for planned in try self.all(withEnded: false) where planned.item.timeZone != zone {
      var item = planned.item
      item.timeZone = zone
      try self.put(item, validFrom: now)
    }
  }

  /// Counts what is left of an item. What is recorded from then on is taken off it.
  ///
  /// - Parameter left: In hundredths of the unit; nil = it is not counted.
  public func count(_ id: String, left: Int64?) throws(Failure) {
    try self.view.attempt { database in
      try database.run(
        "UPDATE plan_item SET stock = ?2, counted_dose = (SELECT coalesce(max(id), 0) FROM dose) WHERE uuid = ?1",
        .text(id), .optional(left))
    }
    try self.view.announce(id, kind: "plan")
  }
}

extension PlanTable where View == Transaction {
  /// Adds what came to what is left of an item that is counted.
  ///
  /// - Parameter hundredths: Of the unit.
  public func add(_ id: String, _ hundredths: Int64) throws(Failure) {
    try self.view.attempt { database in
      try database.run("UPDATE plan_item SET stock = stock + ?2 WHERE uuid = ?1", .text(id), .integer(hundredths))
    }
    try self.view.announce(id, kind: "plan")
  }
}

extension Transaction {
  /// Tells that something of the plan changed, on the stream of care.
  func announce(_ id: String, kind: String) throws(Failure) {
    var event = Event()
    event.changed.ids = [id]
    event.changed.kind = kind
    try self.emit(event, on: EventStream.care.name)
  }
}
