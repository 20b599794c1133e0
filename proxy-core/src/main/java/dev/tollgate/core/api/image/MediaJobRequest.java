package dev.tollgate.core.api.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tollgate.core.api.FieldRules;
import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.api.MemberNames;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.RequestCheck;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.api.RequestTarget;
import dev.tollgate.core.api.StorableJson;
import dev.tollgate.core.api.chat.MediaStrings;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.PricedOption;
import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.WorstCase;
import dev.tollgate.core.net.PublicUrl.UrlParseResult;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Validated body of POST /v1/video/generations or /v1/music/generations, which submits a media job.
 *
 * @param duration of the result; empty means the model's default
 * @param urls URLs that will be called, with their JSON paths
 * @param images images for the storage: those of {@code input_images} in their order, then the
 *     first and the last picture
 * @param webhookUrl null means no webhook
 * @param metadata an object of strings
 * @param costMax the client's bound of the cost in micro-USD; empty means the default
 * @param params the parameters to store, an object; images in the body are replaced by their size
 */
public record MediaJobRequest(
    JobKind kind,
    RequestTarget target,
    Optional<Duration> duration,
    List<RemoteUrl> urls,
    List<JobImage> images,
    @Nullable String webhookUrl,
    JsonBytes metadata,
    OptionalLong costMax,
    JsonBytes params) {

  /** Largest size of the stored parameters, in bytes. */
  public static final int PARAMS_BYTES_MAX = 256 * 1024;

  private static final FieldRules OF_VIDEO = new FieldRules(MediaJobFields.rules(JobKind.VIDEO));
  private static final FieldRules OF_MUSIC = new FieldRules(MediaJobFields.rules(JobKind.MUSIC));

  /** Fields that a job stores separately, or that only the gateway reads. */
  private static final Set<String> NO_PARAMS =
      Set.of(
          "model",
          "routing",
          "provider",
          MediaJobFields.WEBHOOK_URL,
          MediaJobFields.METADATA,
          MediaJobFields.MAX_COST);

  private static final JsonBytes NOTHING = JsonBytes.raw("{}");
  private static final double NANOS_PER_SECOND = 1e9;

  /** URL from a client with its JSON path. */
  public record RemoteUrl(String param, String url) {
    /** True if it names a picture, which the gateway can send in another way. */
    public boolean isImage() {
      return MediaJobFields.PICTURES.contains(param) || param.startsWith(SourceImages.MEMBER + "[");
    }

    boolean isWebhook() {
      return param.equals(MediaJobFields.WEBHOOK_URL);
    }

    /** Returns the refusal of a host without an address here: a provider may see another one. */
    public Fault unresolved() {
      return isWebhook()
          ? Fault.invalid(param, "cannot be called: its host has no address")
          : UrlParseResult.Refused.WITHOUT_ADDRESS.fault(param);
    }
  }

  /** Amount reserved for a job, and its upper bound. */
  public record JobReservation(MicroUsd reserved, MicroUsd max) {}

  /** Returns the URLs that the provider would fetch itself, by their position among all URLs. */
  public List<MediaUrl> mediaUrls() {
    List<MediaUrl> media = new ArrayList<>();
    for (int i = 0; i < urls.size(); i++) {
      RemoteUrl url = urls.get(i);
      if (!url.isWebhook()) {
        media.add(new MediaUrl(i, url.param(), url.url()));
      }
    }
    return media;
  }

  /**
   * Returns the path of a media URL in a member that the gateway does not know, if there is one.
   */
  public Optional<String> paramOfUnknown() {
    return urls.stream()
        .filter(url -> !url.isWebhook() && !url.isImage())
        .map(RemoteUrl::param)
        .findFirst();
  }

  /** Returns the same request with images that were fetched, by that position. */
  public MediaJobRequest withFetched(Map<Integer, FetchResult.Image> fetched) {
    Map<String, FetchResult.Image> byParam = new HashMap<>();
    fetched.forEach((at, image) -> byParam.put(urls.get(at).param(), image));
    var stored = new FetchedImages(byParam);
    return new MediaJobRequest(
        kind,
        target,
        duration,
        urls,
        stored.among(images),
        webhookUrl,
        metadata,
        costMax,
        stored.replacedIn(params));
  }

  public MediaJobRequest {
    urls = List.copyOf(urls);
    images = List.copyOf(images);
  }

  /** Reads and checks a body; all issues are reported at once. */
  public static ParseResult<MediaJobRequest> parse(byte[] bytes, int length, JobKind kind) {
    return RequestRoot.parse(bytes, length, Set.of(), Set.of(), root -> check(root, kind));
  }

  private static ParseResult<MediaJobRequest> check(JsonMembers root, JobKind kind) {
    var check =
        RequestCheck.of(root, kind == JobKind.VIDEO ? OF_VIDEO : OF_MUSIC, "model", "prompt");
    StorableJson.check(root, check.issues());
    MemberNames read = (kind == JobKind.VIDEO ? OF_VIDEO : OF_MUSIC).names();
    List<MediaUrl> others = MediaStrings.ofUnread(root, read, check.issues());
    if (others.size() > MediaUrl.COUNT_MAX) {
      String why = "must not name more than " + MediaUrl.COUNT_MAX + " media by URL";
      check.issues().add(others.getLast().param(), why);
    }
    return check.resultOf(target -> of(root, kind, target, others));
  }

  private static ParseResult<MediaJobRequest> of(
      JsonMembers root, JobKind kind, RequestTarget target, List<MediaUrl> others) {
    JsonBytes params = params(root);
    return params.sizeBytes() > PARAMS_BYTES_MAX
        ? new ParseResult.Refused<>(
            Fault.of(
                ErrorCode.REQUEST_TOO_LARGE,
                "A job has at most " + PARAMS_BYTES_MAX + " bytes besides its images."))
        : new ParseResult.Valid<>(of(root, kind, target, others, params));
  }

  private static MediaJobRequest of(
      JsonMembers root,
      JobKind kind,
      RequestTarget target,
      List<MediaUrl> others,
      JsonBytes params) {
    int metadata = root.indexOf(MediaJobFields.METADATA);
    return new MediaJobRequest(
        kind,
        target,
        duration(root),
        urls(root, kind, others),
        sent(root, kind),
        text(root, MediaJobFields.WEBHOOK_URL),
        RequestRoot.isGiven(root, MediaJobFields.METADATA)
            ? JsonBytes.raw(JsonBytes.of(root, metadata).toString())
            : NOTHING,
        RequestRoot.isGiven(root, MediaJobFields.MAX_COST)
            ? OptionalLong.of(root.integer(root.indexOf(MediaJobFields.MAX_COST), 0))
            : OptionalLong.empty(),
        params);
  }

  private static Optional<Duration> duration(JsonMembers root) {
    return RequestRoot.isGiven(root, MediaJobFields.DURATION)
        ? Optional.of(ofSeconds(root.number(root.indexOf(MediaJobFields.DURATION))))
        : Optional.empty();
  }

  private static Duration ofSeconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * NANOS_PER_SECOND));
  }

  private static List<RemoteUrl> urls(JsonMembers root, JobKind kind, List<MediaUrl> others) {
    List<RemoteUrl> urls = new ArrayList<>();
    for (String name :
        kind == JobKind.VIDEO ? MediaJobFields.URLS : MediaJobFields.URLS.subList(0, 1)) {
      String url = text(root, name);
      if (url != null) {
        urls.add(new RemoteUrl(name, url));
      }
    }
    if (kind == JobKind.VIDEO && SourceImages.count(root) > 0) {
      for (MediaUrl image : SourceImages.remote(root, root.indexOf(SourceImages.MEMBER))) {
        urls.add(new RemoteUrl(image.param(), image.url()));
      }
    }
    others.forEach(other -> urls.add(new RemoteUrl(other.param(), other.url())));
    return urls;
  }

  private static List<JobImage> sent(JsonMembers root, JobKind kind) {
    return kind == JobKind.VIDEO && SourceImages.count(root) > 0
        ? List.copyOf(SourceImages.sent(root, root.indexOf(SourceImages.MEMBER)))
        : List.of();
  }

  private static @Nullable String text(JsonMembers root, String name) {
    return RequestRoot.isGiven(root, name) ? root.string(root.indexOf(name)) : null;
  }

  // Stored parameters

  private static JsonBytes params(JsonMembers root) {
    ByteBuf out = Unpooled.buffer();
    JsonWriter json = new JsonWriter(out).beginObject();
    for (int i = 0; i < root.size(); i++) {
      String name = root.name(i);
      if (NO_PARAMS.contains(name)) {
        continue;
      }
      json.name(name);
      if (name.equals(SourceImages.MEMBER) && root.kind(i) == JsonKind.ARRAY) {
        images(root.array(i), json);
      } else {
        json.raw(JsonBytes.normalized(root, i));
      }
    }
    json.endObject();
    return JsonBytes.raw(out.array(), 0, out.writerIndex());
  }

  private static void images(JsonElements images, JsonWriter json) {
    json.beginArray();
    for (int k = 0; k < images.size(); k++) {
      String image = images.string(k);
      if (image.regionMatches(true, 0, "https://", 0, 8)) {
        json.string(image);
      } else {
        json.string("(an image of " + image.length() + " characters in base64)");
      }
    }
    json.endArray();
  }

  /** Returns the names of the options that clients of a provider have no right to. */
  public List<String> dropped(Provider provider) {
    byte[] json = params.toString().getBytes(UTF_8);
    return provider.quirks().rights().pricedOptions()
        ? List.of()
        : DroppedFields.of(PricedOption.ofJob(JsonMembers.ofKept(json)));
  }

  // Money

  /** Returns the estimated cost at a model. */
  public MicroUsd estimate(Model served) {
    Duration time = duration.orElse(served.durationAssumed());
    Quantity quantity =
        switch (kind) {
          case VIDEO -> new Quantity.VideoTime(time);
          case MUSIC -> new Quantity.MusicTime(time);
        };
    return new WorstCase(0, 0, false, List.of(quantity)).cost(served.prices());
  }

  /**
   * Returns the reservation of the job at a model (docs/decisions/money.md#reservations); empty if
   * the client's bound is below the estimated cost.
   *
   * @param factor multiple of the estimate that is reserved by default
   */
  public Optional<JobReservation> reservation(Model served, BigDecimal factor) {
    MicroUsd estimate = estimate(served);
    long usual =
        factor
            .multiply(BigDecimal.valueOf(estimate.value()))
            .setScale(0, RoundingMode.CEILING)
            .longValueExact();
    long max = costMax.orElse(usual);
    return max < estimate.value()
        ? Optional.empty()
        : Optional.of(new JobReservation(new MicroUsd(Math.min(usual, max)), new MicroUsd(max)));
  }

  /** Returns the refusal of a bound below the estimated cost. */
  public Fault maxCostTooLow(Model served) {
    return Fault.invalid(
        MediaJobFields.MAX_COST,
        "must be at least the estimated cost, which is " + estimate(served).value());
  }
}
