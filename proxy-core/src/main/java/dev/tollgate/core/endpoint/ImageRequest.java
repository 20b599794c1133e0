package dev.tollgate.core.endpoint;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.routing.RoutingWish;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A valid body of POST /v1/images/generations, over the array it came in. */
public final class ImageRequest implements InferenceRequest {
  private static final FieldRules RULES = new FieldRules(ImageFields.rules());

  private final JsonMembers root;
  private final ModelId model;
  private final RoutingWish routing;
  private final ImageWish wish;

  private ImageRequest(JsonMembers root, ModelId model, RoutingWish routing) {
    this.root = root;
    this.model = model;
    this.routing = routing;
    this.wish = ImageFields.wish(root);
  }

  /** Reads and checks a body; every issue is reported at once. */
  public static Parsed<ImageRequest> parse(byte[] bytes, int length) {
    return RequestRoot.parse(bytes, length, Set.of(), ImageRequest::check);
  }

  private static Parsed<ImageRequest> check(JsonMembers root) {
    var issues = new Issues();
    RequestRoot.require(root, issues, "model", "prompt");
    RULES.checkNames(root, issues);
    Optional<ModelId> model = RequestRoot.model(root, issues);
    RULES.checkValues(root, issues);
    RoutingFields.Read routing = RoutingFields.read(root, issues);
    if (!issues.isEmpty() || model.isEmpty()) {
      return new Parsed.Refused<>(issues.toFault());
    }
    return routing.unmet() != null
        ? new Parsed.Refused<>(routing.unmet())
        : new Parsed.Valid<>(new ImageRequest(root, model.get(), routing.wish()));
  }

  @Override
  public Operation operation() {
    return Operation.IMAGE;
  }

  @Override
  public Modality modality() {
    return Modality.IMAGE;
  }

  @Override
  public ModelId model() {
    return model;
  }

  @Override
  public boolean isStream() {
    return false;
  }

  @Override
  public Duration patience(Provider.Clocks clocks) {
    return clocks.image();
  }

  @Override
  public boolean mayBeRepeated() {
    return false;
  }

  @Override
  public RoutingWish routing() {
    return routing;
  }

  @Override
  public Set<String> capabilitiesUsed() {
    return Set.of();
  }

  @Override
  public String beginning() {
    return "";
  }

  ImageWish wish() {
    return wish;
  }

  @Override
  public long promptTokensLikely() {
    return wish.promptTokensLikely();
  }

  @Override
  public MicroUsd estimate(Model served) {
    return wish.estimate(served);
  }

  @Override
  public long tokensEstimated(Model served) {
    return wish.tokensEstimated(served);
  }

  @Override
  public List<ByteBuf> bodyFor(Route route) {
    return RequestRoot.edited(root, false, route).toBuffers();
  }

  @Override
  public ImageCall call(RequestId id, Model served) {
    return new ImageCall(id, this, served);
  }
}
