package dev.tollgate.core.testkit;

import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.limit.LimitObserver;
import java.util.ArrayList;
import java.util.List;

/** Limit observer that records its calls. */
final class RecordingLimitObserver implements LimitObserver {
  final List<Fault> limited = new ArrayList<>();
  final List<String> passedOver = new ArrayList<>();

  @Override
  public void refused(Fault fault) {
    limited.add(fault);
  }

  @Override
  public void fallbackSkipped(ModelId model, Fault why) {
    passedOver.add(model + " " + why.code().wire());
  }
}
