package dev.tollgate.core.exchange;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.api.FetchedMedia;
import dev.tollgate.core.api.InferenceCall;
import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.RemoteMedia;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.egress.UrlGuard.CheckResult;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.InputImages;
import dev.tollgate.core.exchange.frame.MediaPorts;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.exchange.frame.Timeline;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.net.PublicUrl.UrlParseResult;
import dev.tollgate.core.routing.Candidate;
import dev.tollgate.core.routing.RoutePlan;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Media that a request names by URL, before its first attempt: judged for the providers that would
 * fetch it themselves, and fetched for the others (docs/decisions/egress.md#media-urls). A provider
 * that may not get the request is declined; the request is refused if no provider is left.
 * Loop-confined.
 */
final class InputMedia implements InputImages.Listener {
  private static final String NOT_TAKEN = "is not supported by the model's provider";

  private final MediaPorts ports;
  private final List<MediaUrl> required;
  private final List<MediaUrl> urls;
  private final boolean mayBeInlined;
  private final RoutePlan plan;
  private final Timeline timeline;
  private final RequestLoop loop;
  private final InputImages images;
  private Map<ProviderId, Treatment> treatments = Map.of();
  private Map<ProviderId, Refusal> refusals = Map.of();
  private @Nullable Listener listener;

  /** Admission, as it waits; called once, and not after the end. */
  interface Listener {
    void mediaReady();

    void refused(Fault fault, RequestOutcome outcome);
  }

  /**
   * Treatment of media URLs for one provider.
   *
   * @param isPrivate true if the provider's own address is private
   */
  private record Treatment(Provider provider, RemoteMedia rule, boolean isPrivate) {
    /** True for an object of a storage, which the provider does not fetch from an address. */
    boolean isStored(MediaUrl url) {
      int end = url.url().indexOf("://");
      Set<String> schemes = Dialects.named(provider.dialect()).storageSchemes();
      return end > 0 && schemes.contains(url.url().substring(0, end).toLowerCase(Locale.ROOT));
    }
  }

  private record Refusal(Fault fault, RequestOutcome outcome) {}

  InputMedia(
      ExchangeContext context,
      ExchangeRequest request,
      InferenceCall call,
      RoutePlan plan,
      Timeline timeline,
      RequestLoop loop) {
    this.ports = context.media();
    this.required = call.request().remoteImages();
    this.urls = call.request().mediaUrls();
    this.mayBeInlined = call.request().mayBeInlined();
    this.plan = plan;
    this.timeline = timeline;
    this.loop = loop;
    this.images = new InputImages(context, request, loop);
  }

  /** True if the request has no media that the gateway fetches or judges. */
  boolean isEmpty() {
    return required.isEmpty()
        && (urls.isEmpty() || plan.ranked().stream().allMatch(one -> passes(one.provider())));
  }

  private static boolean passes(Provider provider) {
    return provider.quirks().remoteMedia().filter(RemoteMedia.PASS::equals).isPresent();
  }

  /** Begins; the listener is called once, unless the request ends before. */
  void begin(Listener waiting) {
    loop.check();
    listener = waiting;
    timeline.fetchBegins(loop.now());
    if (urls.isEmpty()) {
      images.begin(required, this);
    } else if (urls.size() > MediaUrl.COUNT_MAX) {
      String why = "must not name more than " + MediaUrl.COUNT_MAX + " media by URL";
      refuse(new Refusal(Fault.invalid(urls.getLast().param(), why), RequestOutcome.REJECTED));
    } else {
      treatments = new LinkedHashMap<>();
      refusals = new HashMap<>();
      choose(0);
    }
  }

  // Treatments

  /** Chooses the treatment for the provider of a candidate, then for those behind it. */
  private void choose(int next) {
    if (next == plan.ranked().size()) {
      judge();
      return;
    }
    Provider provider = plan.ranked().get(next).provider();
    if (treatments.containsKey(provider.id())) {
      choose(next + 1);
      return;
    }
    Consumer<Boolean> chosen =
        isPrivate -> {
          treatments.put(provider.id(), treatment(provider, isPrivate));
          choose(next + 1);
        };
    ports.addresses().isPrivate(provider.endpoint(), loop.eventLoop(), unlessEnded(chosen));
  }

  private <T> Consumer<T> unlessEnded(Consumer<T> step) {
    return loop.guarded(
        value -> {
          if (listener != null) {
            step.accept(value);
          }
        });
  }

  private static Treatment treatment(Provider provider, boolean isPrivate) {
    RemoteMedia usual = isPrivate ? RemoteMedia.FETCH : RemoteMedia.JUDGE;
    return new Treatment(provider, provider.quirks().remoteMedia().orElse(usual), isPrivate);
  }

  private List<Treatment> treatedBy(RemoteMedia rule) {
    return treatments.values().stream().filter(one -> one.rule() == rule).toList();
  }

  // Judgement

  private void judge() {
    if (treatedBy(RemoteMedia.JUDGE).isEmpty()) {
      fetch();
    } else {
      var judge = new MediaJudge(ports.urls(), loop);
      judge.begin(
          urls,
          () -> {
            if (listener != null) {
              judged(judge);
            }
          });
    }
  }

  private void judged(MediaJudge judge) {
    for (Treatment one : treatedBy(RemoteMedia.JUDGE)) {
      urls.stream()
          .filter(url -> !one.isStored(url))
          .flatMap(url -> refusal(url, judge.of(url), one.isPrivate()).stream())
          .findFirst()
          .ifPresent(refusal -> refusals.put(one.provider().id(), refusal));
    }
    fetch();
  }

  /** Refuses for the providers that take no URLs what nothing can replace. */
  private void refuseUnreplaced() {
    String param = urls.getFirst().param();
    for (Treatment one : treatments.values()) {
      switch (one.rule()) {
        case FETCH -> refuse(one, Fault.invalid(param, NOT_TAKEN + ": it cannot be sent inline"));
        case REFUSE -> refuse(one, Fault.invalid(param, NOT_TAKEN));
        case JUDGE, PASS -> {}
      }
    }
  }

  private void refuse(Treatment one, Fault fault) {
    refusals.put(one.provider().id(), new Refusal(fault, RequestOutcome.REJECTED));
  }

  private static Optional<Refusal> refusal(
      MediaUrl url, CheckResult judged, boolean isProviderPrivate) {
    return switch (judged) {
      case CheckResult.Fine _ -> Optional.empty();
      case CheckResult.Refused refused ->
          Optional.of(new Refusal(refused.fault(), RequestOutcome.REJECTED));
      case CheckResult.Unresolved _ ->
          isProviderPrivate
              ? Optional.of(
                  new Refusal(
                      UrlParseResult.Refused.WITHOUT_ADDRESS.fault(url.param()),
                      RequestOutcome.REJECTED))
              : Optional.empty();
      case CheckResult.Busy _ ->
          Optional.of(
              new Refusal(Fault.tryLater("Too many names are looked up."), RequestOutcome.SHED));
    };
  }

  // Fetch

  private void fetch() {
    if (!mayBeInlined) {
      refuseUnreplaced();
      fetchRequired();
      return;
    }
    List<Treatment> fetching = treatedBy(RemoteMedia.FETCH);
    List<MediaUrl> wanted =
        urls.stream().filter(url -> fetching.stream().anyMatch(one -> !one.isStored(url))).toList();
    if (fetching.isEmpty() || wanted.isEmpty()) {
      conclude();
    } else {
      images.begin(wanted, this);
    }
  }

  private void fetchRequired() {
    if (required.isEmpty() || refusals.size() == treatments.size()) {
      conclude();
    } else {
      images.begin(required, this);
    }
  }

  @Override
  public void fetched() {
    conclude();
  }

  @Override
  public void refused(Fault fault, RequestOutcome outcome) {
    var refusal = new Refusal(fault, outcome);
    if (!required.isEmpty()) {
      refuse(refusal);
    } else {
      treatedBy(RemoteMedia.FETCH).forEach(one -> refusals.put(one.provider().id(), refusal));
      conclude();
    }
  }

  private void conclude() {
    Refusal first = refusals.get(plan.ranked().getFirst().id());
    if (first != null && refusals.size() == treatments.size()) {
      refuse(first);
    } else {
      timeline.fetchEnds(loop.now());
      requireNonNull(listener).mediaReady();
    }
  }

  private void refuse(Refusal refusal) {
    timeline.fetchEnds(loop.now());
    requireNonNull(listener).refused(refusal.fault(), refusal.outcome());
  }

  // Results

  /** Returns what was fetched. */
  FetchedMedia fetchedMedia() {
    if (images.isEmpty()) {
      return FetchedMedia.NONE;
    }
    Set<ProviderId> inline =
        treatedBy(RemoteMedia.FETCH).stream()
            .map(one -> one.provider().id())
            .collect(Collectors.toSet());
    return new FetchedMedia(images.all(), inline);
  }

  /** Returns the candidates that may not get the request because of its URLs. */
  List<Candidate> declined() {
    return refusals.isEmpty()
        ? List.of()
        : plan.ranked().stream().filter(one -> refusals.containsKey(one.id())).toList();
  }

  /** Cancels what is still being fetched and releases the images. */
  void end() {
    listener = null;
    timeline.fetchEnds(loop.now());
    images.end();
  }

  /** Releases the fetched images. */
  void release() {
    images.release();
  }
}
