package dev.tollgate.core.api.image;

import static java.util.Objects.requireNonNull;

import dev.tollgate.core.api.FieldRules;
import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.api.MultipartForm;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.RequestCheck;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.api.RequestTarget;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.api.chat.MediaStrings;
import dev.tollgate.core.catalog.ImageApiStyle;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.ImageTranslation;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.prompt.PromptSize;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Validated body of POST /v1/images/generations or /v1/images/edits, over the array in which it was
 * received. The array is released when the provider has received the body, because an image takes
 * minutes. It is confined to one event loop.
 */
public final class ImageRequest implements InferenceRequest {
  private static final FieldRules RULES = new FieldRules(ImageFields.rules());
  private static final String FORM = "multipart/";
  private static final Pattern ONLY_BYTES = Pattern.compile("([a-z]+/)?(chatgpt|gpt)-image");

  private final Operation operation;
  private final RequestTarget target;
  private final ImageOptions options;
  private final boolean stored;
  private final List<MediaUrl> remote;
  private final List<MediaUrl> unread;
  private @Nullable ImageBody body;

  private ImageRequest(
      ImageBody body,
      RequestTarget target,
      ImageOptions options,
      ImageUrls urls,
      List<MediaUrl> unread) {
    this.unread = unread;
    this.stored = urls == ImageUrls.GATEWAY;
    this.operation = body.operation();
    this.body = body;
    this.remote = body.remote();
    this.target = target;
    this.options = options;
  }

  /** Reads and checks a body that may name images; all issues are reported at once. */
  public static ParseResult<ImageRequest> parse(byte[] bytes, int length, ImageUrls urls) {
    return RequestRoot.parse(
        bytes, length, Set.of(), Set.of(), root -> check(root, urls, false, "model", "prompt"));
  }

  /**
   * Reads and checks a body that must have images.
   *
   * @param contentType Content-Type of the body: JSON or a form
   */
  public static ParseResult<ImageRequest> parseEdit(
      byte[] bytes, int length, String contentType, ImageUrls urls) {
    if (!contentType.regionMatches(true, 0, FORM, 0, FORM.length())) {
      return RequestRoot.parse(
          bytes,
          length,
          Set.of(),
          Set.of(),
          root -> check(root, urls, true, "model", "prompt", SourceImages.MEMBER));
    }
    return MultipartForm.read(bytes, length, contentType).then(form -> check(form, urls));
  }

  private static ParseResult<ImageRequest> check(
      JsonMembers root, ImageUrls urls, boolean isEdit, String... required) {
    var check = RequestCheck.of(root, RULES, required);
    boolean hasSources = SourceImages.count(root) > 0;
    if (isEdit && root.indexOf(SourceImages.MEMBER) >= 0 && !hasSources) {
      check.issues().add(SourceImages.MEMBER, "must have an image");
    }
    List<MediaUrl> unread = MediaStrings.ofUnread(root, RULES.names(), check.issues());
    return check.result(
        target ->
            new ImageRequest(
                hasSources
                    ? new ImageBody.PromptAndImages(root, Map.of())
                    : new ImageBody.Prompt(root),
                target,
                ImageFields.options(root, check.unreadBytes()),
                urls,
                unread));
  }

  private static ParseResult<ImageRequest> check(MultipartForm form, ImageUrls urls) {
    var check = RequestCheck.of(form, issues -> ImageFormFields.check(form, issues));
    List<MediaUrl> unread = MediaStrings.ofUnread(form, ImageFormFields.FIELDS, check.issues());
    return check.result(
        target ->
            new ImageRequest(
                new ImageBody.Upload(form), target, ImageFormFields.options(form), urls, unread));
  }

  @Override
  public Operation operation() {
    return operation;
  }

  @Override
  public RequestTarget target() {
    return target;
  }

  @Override
  public Duration replyStartTimeout(Provider.ProviderTimeouts clocks) {
    return clocks.image();
  }

  @Override
  public boolean mayBeRepeated() {
    return false;
  }

  @Override
  public int replyBytesMax(Provider provider) {
    return provider.imageReplyBytesMax();
  }

  @Override
  public long replyBytesLikely(Route route) {
    boolean mayBeAddresses = options.format() == ImageFormat.URL && !stored && !isOnlyBytes(route);
    return mayBeAddresses ? 0 : options.replyBytesLikely();
  }

  @Override
  public List<MediaUrl> remoteImages() {
    return remote;
  }

  @Override
  public List<MediaUrl> mediaUrls() {
    return unread;
  }

  /** Adds the fetched images. */
  void fetched(Map<Integer, FetchResult.Image> images) {
    body = body().with(images);
  }

  @Override
  public void releaseBody() {
    body = null;
  }

  private ImageBody body() {
    return requireNonNull(body, "the body was released");
  }

  public ImageOptions options() {
    return options;
  }

  @Override
  public PromptSize prompt() {
    return options.prompt();
  }

  @Override
  public MicroUsd estimate(Model served) {
    return options.estimate(served);
  }

  @Override
  public long tokensEstimated(Model served) {
    return options.tokensEstimated(served);
  }

  @Override
  public List<ByteBuf> bodyFor(Route route) {
    return upstreamBody(route).body();
  }

  public UpstreamBody upstreamBody(Route route) {
    ImageBody routeBody = bodyAt(route);
    Optional<JsonMembers> canonical = routeBody.canonical();
    Optional<ImageTranslation> images = images(route);
    return images.isPresent() && canonical.isPresent()
        ? translated(images.get().request(canonical.get(), routeBody.sources()))
        : routeBody.upstreamBody(route, formatRequest(route));
  }

  /** Returns the body; a form becomes JSON for a provider that takes no forms. */
  private ImageBody bodyAt(Route route) {
    return takesForms(route) ? body() : body().inJson();
  }

  private static boolean takesForms(Route route) {
    return images(route).isEmpty() && ImageBody.apiStyle(route).takesForms();
  }

  private static UpstreamBody translated(TranslatedRequest sent) {
    return new UpstreamBody(List.of(sent.body()), sent.dropped());
  }

  private static Optional<ImageTranslation> images(Route route) {
    return Dialects.named(route.provider().dialect()).images();
  }

  private ImageBody.FormatRequest formatRequest(Route route) {
    if (isOnlyBytes(route)) {
      return ImageBody.FormatRequest.OMITTED;
    }
    return isStored() ? ImageBody.FormatRequest.BASE64 : ImageBody.FormatRequest.AS_CLIENT;
  }

  /** True if the images are stored, so that the client gets the gateway's URLs. */
  boolean isStored() {
    return stored && options.format() == ImageFormat.URL;
  }

  /**
   * True for OpenAI's newer models at any provider: they return base64 only and have no format
   * field.
   */
  private static boolean isOnlyBytes(Route route) {
    String model = route.provider().quirks().openAiQuirks().model(route.upstreamModel());
    return images(route).isPresent() || ONLY_BYTES.matcher(model).lookingAt();
  }

  /**
   * Returns the paths of the request for image URLs if the model returns bytes and there is no
   * object storage, and those of fields and counts that the provider cannot take.
   */
  @Override
  public List<String> unservable(Route route) {
    boolean needsStorage = options.format() == ImageFormat.URL && !stored && isOnlyBytes(route);
    if (needsStorage) {
      return List.of(ImageBody.FORMAT);
    }
    boolean isForm = body().canonical().isEmpty();
    if (isForm && takesForms(route)) {
      return List.of();
    }
    List<String> beyond = body().beyondJson();
    return !beyond.isEmpty()
        ? beyond
        : images(route).isPresent()
            ? beyondTranslation()
            : beyondStyle(ImageBody.apiStyle(route), isForm ? "image" : SourceImages.MEMBER);
  }

  /** Translated providers make one image at a time. */
  private List<String> beyondTranslation() {
    return options.count() > 1 ? List.of("n") : List.of();
  }

  private List<String> beyondStyle(ImageApiStyle style, String sources) {
    return options.count() > style.imagesMax()
        ? List.of("n")
        : options.sources() > style.sourceImagesMax() ? List.of(sources) : List.of();
  }

  @Override
  public List<String> unsupported(Route route, Model served) {
    List<String> unservable = unservable(route);
    if (!unservable.isEmpty()) {
      return unservable;
    }
    ImageBody routeBody = bodyAt(route);
    Optional<JsonMembers> root = routeBody.canonical();
    Optional<ImageTranslation> images = images(route);
    return images.isPresent() && root.isPresent()
        ? images.get().unsupported(root.get())
        : routeBody.dropped(route);
  }

  @Override
  public Fault unservableFault(List<String> paths) {
    return paths.contains(ImageBody.FORMAT)
        ? Fault.of(
            ErrorCode.NOT_CONFIGURED,
            "The model gives bytes only, and there is no object storage for them: ask for"
                + " response_format b64_json.")
        : InferenceRequest.super.unservableFault(paths);
  }

  public int builtBytes(Route route) {
    ImageBody routeBody = bodyAt(route);
    return images(route).isPresent()
        ? routeBody.canonicalBytes() + routeBody.rawBytes()
        : routeBody.builtBytes();
  }

  @Override
  public ImageCall call(RequestId id, Model served) {
    return new ImageCall(id, this, served);
  }
}
