package dev.tollgate.core.routing;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.money.PriceList;
import java.util.List;

/** Route to a provider that may serve a request, for the requested model or a fallback model. */
public record Candidate(Model model, Route route) {
  public Provider provider() {
    return route.provider();
  }

  public ProviderId id() {
    return route.provider().id();
  }

  /** Returns the tokens that prompt and completion share at this route; 0 means unknown. */
  public int contextLength() {
    return route.contextLength() > 0 ? route.contextLength() : model.contextLength();
  }

  /** Returns what the operator pays at this route; the model's own list where it has none. */
  public PriceList operatorPrices() {
    return route.cost().orElse(model.prices());
  }

  /** True if both are the same route of the same model. */
  public boolean isSame(Candidate other) {
    return isSameProvider(other)
        && isSameModel(other)
        && route.upstreamModel().equals(other.route.upstreamModel());
  }

  /** True if {@code others} contains the same route of the same model. */
  public boolean isIn(List<Candidate> others) {
    for (Candidate other : others) {
      if (isSame(other)) {
        return true;
      }
    }
    return false;
  }

  public boolean isSameProvider(Candidate other) {
    return id().equals(other.id());
  }

  public boolean isSameModel(Candidate other) {
    return model.id().equals(other.model.id());
  }
}
