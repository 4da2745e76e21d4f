public import Bus
internal import KithMessages

extension CarePlanActor {
  /// Every method of `kith.v1.Plan` and `kith.v1.Measurements`.
  public nonisolated var routes: [Route] { self.itemRoutes + self.doseRoutes + self.measurementRoutes }

  private nonisolated var itemRoutes: [Route] {
    [
      Route(answering: AddPlanItemRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.add(request, context)
      },
      Route(answering: ChangePlanItemRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.change(request, context)
      },
      Route(answering: PausePlanItemRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.set(PausePlanItemRequest.self, request.id, to: .paused, context)
      },
      Route(answering: ResumePlanItemRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.set(ResumePlanItemRequest.self, request.id, to: .active, context)
      },
      Route(answering: EndPlanItemRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.set(EndPlanItemRequest.self, request.id, to: .ended, context)
      },
      Route(answering: StockPlanItemRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.stock(request, context)
      },
      Route(ListPlanItemsRequest.self) { request, _ throws(Failure) in try await self.items(request) },
      Route(GetPlanItemRequest.self) { request, _ throws(Failure) in try await self.item(request) },
      Route(PlanDayRequest.self) { request, _ throws(Failure) in try await self.day(request) },
    ]
  }

  private nonisolated var doseRoutes: [Route] {
    [
      Route(answering: GiveRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.give(request, context)
      },
      Route(answering: SkipRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.skip(request, context)
      },
      Route(answering: UndoDoseRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.undo(request, context)
      },
      Route(SuggestRequest.self) { request, _ throws(Failure) in try await self.suggest(request) },
      Route(ListDosesRequest.self) { request, _ throws(Failure) in try await self.history(request) },
    ]
  }

  private nonisolated var measurementRoutes: [Route] {
    [
      Route(answering: RecordMeasurementRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.record(request, context)
      },
      Route(answering: DeleteMeasurementRequest.self, order: .afterWrites) { request, context throws(Failure) in
        try await self.delete(request, context)
      },
      Route(ListMeasurementsRequest.self) { request, _ throws(Failure) in try await self.list(request) },
      Route(MeasurementSeriesRequest.self) { request, _ throws(Failure) in try await self.series(request) },
    ]
  }
}
