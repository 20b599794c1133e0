package dev.tollgate.server.ops;

import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.ProtocolAnomaly;
import dev.tollgate.core.catalog.Catalog;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.exchange.frame.Charge;
import dev.tollgate.core.exchange.frame.HedgeOutcome;
import dev.tollgate.core.exchange.frame.RequestObserver;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.AttemptRecord;
import dev.tollgate.core.exchange.frame.RequestRecord.Cause;
import dev.tollgate.core.exchange.frame.RequestRecord.Served;
import dev.tollgate.core.exchange.frame.ResumeOutcome;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.metrics.LoadFamily;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.ProviderFamily;
import dev.tollgate.server.metrics.RequestFamily;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Request observer that updates the Prometheus metrics of ended requests. It runs on event loops,
 * and one map access finds all data points of a request. Every label value comes from the
 * configuration or a closed list, so that clients cannot create series.
 */
public final class RequestMetrics implements RequestObserver {
  static final String OTHER = "other";
  static final String NONE = "none";
  private static final int OUTCOMES_MAX = 64;
  private static final double NANOS = 1e9;

  private static final double[] DURATION = {
    .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600
  };
  private static final double[] FIRST_TOKEN = {
    .01, .025, .05, .1, .2, .3, .5, .75, 1, 1.5, 2, 3, 5, 10, 20, 30, 60
  };
  private static final double[] OVERHEAD = {
    10e-6, 20e-6, 30e-6, 50e-6, 75e-6, 100e-6, 150e-6, 200e-6, 300e-6, 500e-6, 1e-3, 2e-3, 5e-3,
    10e-3, 20e-3, 50e-3, .1, .25, 1
  };

  private final Counter requests;
  private final Histogram durations;
  private final Histogram firstTokens;
  private final DistributionDataPoint overhead;
  private final Counter attempts;
  private final Counter fallbacks;
  private final Counter resumes;
  private final Counter hedges;
  private final Counter resent;
  private final Counter droppedMembers;
  private final Counter droppedEvents;
  private final Counter anomalies;
  private final Map<RequestOutcome, CounterDataPoint> streamEnds =
      new EnumMap<>(RequestOutcome.class);
  private final CounterDataPoint abortsUncharged;
  private final CounterDataPoint abortsReported;
  private final CounterDataPoint abortsEstimated;
  private final Counter tokens;
  private final Counter costs;
  private final Counter belowCost;
  private final Counter shortfalls;

  /** Counters by path, for requests refused before their model was known. */
  private final Map<String, CounterDataPoint> shed;

  private final Set<String> routes =
      Arrays.stream(Endpoint.values()).map(Endpoint::path).collect(Collectors.toUnmodifiableSet());
  private volatile Names names = Names.of();
  private final Map<Labels, Points> points = new ConcurrentHashMap<>();
  private final Map<ServedLabels, ServedPoints> servedPoints = new ConcurrentHashMap<>();
  private final Map<AttemptLabels, CounterDataPoint> attemptPoints = new ConcurrentHashMap<>();
  private final Set<String> outcomes = ConcurrentHashMap.newKeySet();

  public RequestMetrics(Metrics metrics) {
    requests = metrics.counter(RequestFamily.REQUESTS);
    durations = metrics.histogram(RequestFamily.REQUEST_DURATION, DURATION);
    firstTokens = metrics.histogram(RequestFamily.FIRST_TOKEN, FIRST_TOKEN);
    overhead = metrics.histogram(RequestFamily.OVERHEAD, OVERHEAD).labelValues();
    attempts = metrics.counter(ProviderFamily.ATTEMPTS);
    fallbacks = metrics.counter(ProviderFamily.FALLBACKS);
    resumes = metrics.counter(ProviderFamily.RESUMES);
    hedges = metrics.counter(ProviderFamily.HEDGES);
    resent = metrics.counter(ProviderFamily.RESENT);
    droppedMembers = metrics.counter(ProviderFamily.DROPPED_MEMBERS);
    droppedEvents = metrics.counter(ProviderFamily.DROPPED_EVENTS);
    anomalies = metrics.counter(ProviderFamily.STREAM_ANOMALIES);
    Counter ends = metrics.counter(RequestFamily.STREAM_ENDS);
    for (RequestOutcome ending : RequestOutcome.values()) {
      streamEnds.put(ending, ends.labelValues(ending.wire()));
    }
    Counter aborts = metrics.counter(RequestFamily.ABORTS);
    abortsUncharged = aborts.labelValues("nothing");
    abortsReported = aborts.labelValues("reported");
    abortsEstimated = aborts.labelValues("estimated");
    tokens = metrics.counter(RequestFamily.TOKENS);
    costs = metrics.counter(RequestFamily.COST);
    belowCost = metrics.counter(RequestFamily.REQUESTS_BELOW_COST);
    shortfalls = metrics.counter(RequestFamily.SHORTFALL);
    Counter sheds = metrics.counter(LoadFamily.SHED);
    for (Endpoint.Urgency urgency : Endpoint.Urgency.values()) {
      sheds.labelValues(
          urgency.wire()); // registered at once, so that they are 0 before the first event
    }
    shed =
        Arrays.stream(Endpoint.values())
            .collect(
                Collectors.toUnmodifiableMap(
                    Endpoint::path,
                    endpoint -> sheds.labelValues(endpoint.urgency().wire()),
                    (one, _) -> one));
  }

  /** Creates the series of these models and providers. */
  public void configured(Catalog catalog) {
    names = Names.of(catalog);
  }

  @Override
  public void ended(RequestRecord record) {
    Names known = names;
    Labels labels = labels(record, known);
    Points end = points.get(labels);
    if (end == null) {
      end = points.computeIfAbsent(labels, this::resolve);
    }
    end.requests.inc();
    end.duration.observe(seconds(record.total()));
    if (record.outcome() == RequestOutcome.SHED) {
      CounterDataPoint point = shed.get(record.route());
      if (point != null) {
        point.inc();
      }
    }
    Served served = record.served();
    if (served != null) {
      count(served, known);
      CounterDataPoint streamEnd = streamEnds.get(record.outcome());
      if (served.stream() && record.status() == 200 && streamEnd != null) {
        streamEnd.inc();
      }
      if (record.outcome() == RequestOutcome.CLIENT_ABORT
          || record.outcome() == RequestOutcome.CLIENT_STALLED) {
        aborts(served.charge()).inc();
      }
    }
  }

  private CounterDataPoint aborts(Charge charge) {
    if (charge.equals(Charge.NOTHING)) {
      return abortsUncharged;
    }
    return charge.usage().estimated() ? abortsEstimated : abortsReported;
  }

  private void count(Served served, Names known) {
    overhead.observe(seconds(served.timing().overhead()));
    var labels = new ServedLabels(known.model(served.model()), known.provider(served.provider()));
    ServedPoints by = servedPoints.get(labels);
    if (by == null) {
      by = servedPoints.computeIfAbsent(labels, this::resolve);
    }
    Duration firstToken = served.timing().firstToken();
    if (firstToken != null) {
      by.firstToken.observe(seconds(firstToken));
    }
    by.promptTokens.inc(served.usage().promptTokens());
    by.cachedTokens.inc(served.usage().cachedTokens());
    by.completionTokens.inc(served.usage().completionTokens());
    by.cost.inc(served.cost().value());
    if (served.charge().isBelowCost()) {
      belowCost.labelValues(labels.model, labels.provider).inc();
      shortfalls
          .labelValues(labels.model, labels.provider)
          .inc(served.operatorCost().minus(served.cost()).value());
    }
    if (served.resumed() != ResumeOutcome.NO) {
      resumes.labelValues(served.resumed().wire()).inc();
    }
    if (served.hedged() != HedgeOutcome.NO) {
      hedges.labelValues(served.hedged().wire()).inc();
    }
    for (AttemptRecord attempt : served.attempts()) {
      count(attempt, known);
      Cause cause = attempt.cause();
      if (cause != null) {
        fallbacks
            .labelValues(
                known.provider(cause.provider()),
                known.provider(attempt.provider()),
                outcome(cause.reason()))
            .inc();
      }
    }
  }

  private void count(AttemptRecord attempt, Names known) {
    var labels = new AttemptLabels(known.provider(attempt.provider()), outcome(attempt.outcome()));
    CounterDataPoint point = attemptPoints.get(labels);
    if (point == null) {
      point =
          attemptPoints.computeIfAbsent(
              labels, l -> attempts.labelValues(l.provider(), l.outcome()));
    }
    point.inc();
    if (attempt.resent() > 0) {
      resent.labelValues(labels.provider).inc(attempt.resent());
    }
    if (!attempt.unsent().isEmpty()) {
      droppedMembers.labelValues(labels.provider).inc(DroppedFields.named(attempt.unsent()).size());
    }
    if (attempt.droppedEvents() > 0) {
      droppedEvents.labelValues(labels.provider).inc(attempt.droppedEvents());
    }
    for (ProtocolAnomaly anomaly : attempt.anomalies()) {
      anomalies.labelValues(labels.provider, anomaly.wire()).inc();
    }
  }

  // The list of outcomes is closed in the core; this is the fallback should that change.
  private String outcome(String name) {
    if (outcomes.contains(name)) {
      return name;
    }
    return outcomes.size() < OUTCOMES_MAX && outcomes.add(name) ? name : OTHER;
  }

  private Labels labels(RequestRecord record, Names known) {
    Served served = record.served();
    return new Labels(
        routes.contains(record.route()) ? record.route() : OTHER,
        served == null ? NONE : known.model(served.model()),
        served == null ? NONE : known.provider(served.provider()),
        record.outcome(),
        record.code(),
        served != null && served.stream());
  }

  private Points resolve(Labels of) {
    String code = of.code == null ? NONE : of.code.wire();
    return new Points(
        requests.labelValues(of.route, of.model, of.provider, of.ending.wire(), code),
        durations.labelValues(of.route, of.model, Boolean.toString(of.stream)));
  }

  private ServedPoints resolve(ServedLabels of) {
    return new ServedPoints(
        firstTokens.labelValues(of.model, of.provider),
        tokens.labelValues(of.model, "prompt"),
        tokens.labelValues(of.model, "cached"),
        tokens.labelValues(of.model, "completion"),
        costs.labelValues(of.model));
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / NANOS;
  }

  /** Label values of one ended request, used as the key of its cached data points. */
  private record Labels(
      String route,
      String model,
      String provider,
      RequestOutcome ending,
      @Nullable ErrorCode code,
      boolean stream) {}

  private record ServedLabels(String model, String provider) {}

  private record AttemptLabels(String provider, String outcome) {}

  /** Data points of one combination of labels, resolved once. */
  private record Points(CounterDataPoint requests, DistributionDataPoint duration) {}

  /** Data points of served requests with one combination of labels. */
  private record ServedPoints(
      DistributionDataPoint firstToken,
      CounterDataPoint promptTokens,
      CounterDataPoint cachedTokens,
      CounterDataPoint completionTokens,
      CounterDataPoint cost) {}

  /** Configured model and provider names as label texts, rendered once. */
  private record Names(Map<ModelId, String> models, Map<ProviderId, String> providers) {
    static Names of() {
      return new Names(Map.of(), Map.of());
    }

    static Names of(Catalog catalog) {
      Map<ModelId, String> models = new HashMap<>();
      catalog.models().forEach(model -> models.put(model.id(), model.id().toString()));
      Map<ProviderId, String> providers = new HashMap<>();
      catalog.providers().forEach(provider -> providers.put(provider.id(), provider.id().value()));
      return new Names(Map.copyOf(models), Map.copyOf(providers));
    }

    String model(ModelId id) {
      return models.getOrDefault(id, OTHER);
    }

    String provider(@Nullable ProviderId id) {
      return id == null ? NONE : providers.getOrDefault(id, OTHER);
    }
  }
}
