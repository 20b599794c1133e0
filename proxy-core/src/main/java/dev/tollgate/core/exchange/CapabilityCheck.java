package dev.tollgate.core.exchange;

import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.Exclusion.Reason;
import dev.tollgate.core.routing.NoProviderRefusal;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;

/**
 * Check whether a provider's wire format can express a client's request. It covers the whole
 * request if the client requires all parameters, else the parts without which no answer is
 * possible.
 */
final class CapabilityCheck {
  private final InferenceRequest inference;
  private final List<Model> models;

  /** What was computed ahead, for each route of the models; empty for a small request. */
  private final IdentityHashMap<Route, List<String>> ahead;

  private CapabilityCheck(
      InferenceRequest inference, List<Model> models, IdentityHashMap<Route, List<String>> ahead) {
    this.inference = inference;
    this.models = models;
    this.ahead = ahead;
  }

  /** Creates a check that reads the request whenever it is asked about a candidate. */
  static CapabilityCheck onDemand(InferenceRequest inference, List<Model> models) {
    return new CapabilityCheck(inference, models, new IdentityHashMap<>());
  }

  /** Creates a check that has read the request, which is large, for all routes of its models. */
  static CapabilityCheck ahead(InferenceRequest inference, List<Model> models) {
    IdentityHashMap<Route, List<String>> ahead = new IdentityHashMap<>();
    for (Model model : models) {
      for (Route route : model.routes()) {
        ahead.put(route, missing(new Candidate(model, route), inference));
      }
    }
    return new CapabilityCheck(inference, models, ahead);
  }

  /** True if the format of a candidate's provider can express the request. */
  boolean fits(Candidate candidate) {
    return missing(candidate).isEmpty();
  }

  private List<String> missing(Candidate candidate) {
    List<String> known = ahead.get(candidate.route());
    return known == null ? missing(candidate, inference) : known;
  }

  /** Returns the JSON paths that the format of a candidate's provider cannot express. */
  private static List<String> missing(Candidate candidate, InferenceRequest inference) {
    return inference.routing().requireParameters()
        ? inference.unsupported(candidate.route(), candidate.model())
        : inference.unservable(candidate.route());
  }

  /** Returns the refusal of a request if every route is excluded because of its parameters. */
  Optional<Fault> fault(NoProviderRefusal refusal) {
    boolean all =
        refusal.excluded().stream().allMatch(one -> one.reason() == Reason.PARAMETERS_UNSUPPORTED);
    List<List<String>> missingByRoute =
        all
            ? models.stream()
                .flatMap(model -> model.routes().stream().map(route -> new Candidate(model, route)))
                .map(this::missing)
                .toList()
            : List.of();
    return missingByRoute.isEmpty() || missingByRoute.stream().anyMatch(List::isEmpty)
        ? Optional.empty()
        : Optional.of(inference.unservableFault(missingByRoute.getFirst()));
  }
}
