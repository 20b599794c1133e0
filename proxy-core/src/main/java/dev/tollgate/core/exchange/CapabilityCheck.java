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
 * What a request has that a provider has nothing like: anything where its client insists on all of
 * it, else that without which there is no answer.
 */
final class CapabilityCheck {
  private CapabilityCheck() {}

  /** JSON paths of what a candidate's provider would not get. */
  static List<String> missing(Candidate candidate, InferenceRequest inference) {
    return inference.routing().requireParameters()
        ? inference.unsupported(candidate.route(), candidate.model())
        : inference.unservable(candidate.route());
  }

  /** The refusal of a request that no route can take as a whole, and each for such a reason. */
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
