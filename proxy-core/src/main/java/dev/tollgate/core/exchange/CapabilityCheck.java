package dev.tollgate.core.exchange;

import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.Exclusion.Reason;
import dev.tollgate.core.routing.NoProviderRefusal;
import java.util.List;
import java.util.Optional;

/**
 * Check whether a provider's wire format can express a client's request. It covers the whole
 * request if the client requires all parameters, else the parts without which no answer is
 * possible.
 */
final class CapabilityCheck {
  private CapabilityCheck() {}

  /** Returns the JSON paths that the format of a candidate's provider cannot express. */
  static List<String> missing(Candidate candidate, InferenceRequest inference) {
    return inference.routing().requireParameters()
        ? inference.unsupported(candidate.route(), candidate.model())
        : inference.unservable(candidate.route());
  }

  /** Returns the refusal of a request if every route is excluded because of its parameters. */
  static Optional<Fault> fault(
      NoProviderRefusal refusal, List<Model> models, InferenceRequest inference) {
    boolean all =
        refusal.excluded().stream().allMatch(one -> one.reason() == Reason.PARAMETERS_UNSUPPORTED);
    List<List<String>> missingByRoute =
        all
            ? models.stream()
                .flatMap(model -> model.routes().stream().map(route -> new Candidate(model, route)))
                .map(candidate -> missing(candidate, inference))
                .toList()
            : List.of();
    return missingByRoute.isEmpty() || missingByRoute.stream().anyMatch(List::isEmpty)
        ? Optional.empty()
        : Optional.of(inference.unservableFault(missingByRoute.getFirst()));
  }
}
