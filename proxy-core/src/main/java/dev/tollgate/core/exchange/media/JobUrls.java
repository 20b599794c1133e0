package dev.tollgate.core.exchange.media;

import dev.tollgate.core.api.image.MediaJobRequest;
import dev.tollgate.core.api.image.MediaJobRequest.RemoteUrl;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.RemoteMedia;
import dev.tollgate.core.egress.UrlGuard.CheckResult;
import dev.tollgate.core.exchange.frame.ExchangeContext;
import dev.tollgate.core.exchange.frame.ExchangeRequest;
import dev.tollgate.core.exchange.frame.InputImages;
import dev.tollgate.core.exchange.frame.MediaPorts;
import dev.tollgate.core.exchange.frame.RequestLoop;
import dev.tollgate.core.exchange.frame.RequestOutcome;
import dev.tollgate.core.fault.Fault;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * URLs of a job submission: judged, and fetched if the job's provider is to get media inline.
 * Loop-confined.
 */
final class JobUrls implements InputImages.Listener {
  private final MediaPorts ports;
  private final MediaJobRequest media;
  private final RequestLoop loop;
  private final InputImages images;
  private final Consumer<MediaJobRequest> ready;
  private final BiConsumer<Fault, RequestOutcome> refuses;
  private boolean ended;

  /**
   * @param ready gets the request whose URLs may be passed on; those that were fetched are replaced
   * @param refuses ends the task
   */
  JobUrls(
      ExchangeContext context,
      ExchangeRequest request,
      MediaJobRequest media,
      RequestLoop loop,
      Consumer<MediaJobRequest> ready,
      BiConsumer<Fault, RequestOutcome> refuses) {
    this.ports = context.media();
    this.media = media;
    this.loop = loop;
    this.images = new InputImages(context, request, loop);
    this.ready = ready;
    this.refuses = refuses;
  }

  /** True if a provider takes no submission with these URLs. */
  static boolean isRefusedBy(Provider provider, MediaJobRequest media) {
    return !media.mediaUrls().isEmpty()
        && provider.quirks().remoteMedia().filter(RemoteMedia.REFUSE::equals).isPresent();
  }

  /** Returns the refusal of a request whose URLs no provider takes. */
  static Fault refusal(MediaJobRequest media) {
    String param = media.mediaUrls().getFirst().param();
    return Fault.invalid(param, "is not supported by the model's provider");
  }

  /** Begins; the provider is the one that the job will be submitted to. */
  void begin(Provider provider) {
    check(provider, 0);
  }

  /** Checks the URLs one after the other: there are few, and the first refusal ends the task. */
  private void check(Provider provider, int next) {
    if (next == media.urls().size()) {
      chooseTreatment(provider);
      return;
    }
    RemoteUrl url = media.urls().get(next);
    ports
        .urls()
        .check(
            url.url(),
            url.param(),
            loop.eventLoop(),
            loop.guarded(judged -> checked(provider, next, url, judged)));
  }

  private void checked(Provider provider, int at, RemoteUrl url, CheckResult judged) {
    if (ended) {
      return;
    }
    switch (judged) {
      case CheckResult.Fine _ -> check(provider, at + 1);
      case CheckResult.Refused refused -> refuses.accept(refused.fault(), RequestOutcome.REJECTED);
      case CheckResult.Unresolved _ -> refuses.accept(url.unresolved(), RequestOutcome.REJECTED);
      case CheckResult.Busy _ ->
          refuses.accept(Fault.tryLater("Too many names are looked up."), RequestOutcome.SHED);
    }
  }

  private void chooseTreatment(Provider provider) {
    if (media.mediaUrls().isEmpty()) {
      ready.accept(media);
    } else if (provider.quirks().remoteMedia().isPresent()) {
      treat(provider.quirks().remoteMedia().get() == RemoteMedia.FETCH);
    } else {
      ports.addresses().isPrivate(provider.endpoint(), loop.eventLoop(), loop.guarded(this::treat));
    }
  }

  private void treat(boolean isFetched) {
    if (ended) {
      return;
    }
    if (isFetched && media.paramOfUnknown().isPresent()) {
      String why = "is not supported by the model's provider: it cannot be sent inline";
      refuses.accept(Fault.invalid(media.paramOfUnknown().get(), why), RequestOutcome.REJECTED);
    } else if (isFetched) {
      images.begin(media.mediaUrls(), this);
    } else {
      ready.accept(media);
    }
  }

  @Override
  public void fetched() {
    ready.accept(media.withFetched(images.all()));
  }

  @Override
  public void refused(Fault fault, RequestOutcome outcome) {
    refuses.accept(fault, outcome);
  }

  /** Cancels what is being fetched, and releases what was. */
  void end() {
    ended = true;
    images.end();
  }
}
