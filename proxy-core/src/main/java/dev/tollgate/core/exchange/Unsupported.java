package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.endpoint.InferenceRequest;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.Exclusion.Reason;
import dev.tollgate.core.routing.Refusal;
import java.util.List;
import java.util.Optional;

/**
 * What a request has that a provider has nothing like: anything where its client insists on all of
 * it, else that without which there is no answer.
 */
final class Unsupported {
  private Unsupported() {}

  /** JSON paths of what a candidate's provider would not get. */
  static List<String> by(Candidate candidate, InferenceRequest inference) {
    return inference.routing().requireParameters()
        ? inference.unsupported(candidate.route(), candidate.model())
        : inference.impossible(candidate.route());
  }

  /** The refusal of a request that no route can take as a whole, and each for such a reason. */
  static Optional<Fault> fault(Refusal refusal, List<Model> models, InferenceRequest inference) {
    boolean all =
        refusal.excluded().stream().allMatch(one -> one.reason() == Reason.PARAMETERS_UNSUPPORTED);
    List<List<String>> missing =
        all
            ? models.stream()
                .flatMap(model -> model.routes().stream().map(route -> new Candidate(model, route)))
                .map(candidate -> by(candidate, inference))
                .toList()
            : List.of();
    return missing.isEmpty() || missing.stream().anyMatch(List::isEmpty)
        ? Optional.empty()
        : Optional.of(inference.unserved(missing.getFirst()));
  }
}
