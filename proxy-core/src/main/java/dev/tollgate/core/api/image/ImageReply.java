package dev.tollgate.core.api.image;

import dev.tollgate.core.api.ErrorShape;
import dev.tollgate.core.api.ReplyStamp;
import dev.tollgate.core.api.ReplyUsage;
import dev.tollgate.core.api.RootEdits;
import dev.tollgate.core.api.UsageWriter;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.dialect.openai.ImageUsage;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;

/**
 * A provider's whole reply with images, counted and written to the client without changes to the
 * images. The images are URLs or base64, as the reply itself shows, or else as requested.
 */
public final class ImageReply implements WholeReply {
  private final ReplyStamp stamp;
  private final JsonMembers root;
  private final int dataAt;
  private final Quantity.Images images;
  private final boolean isByTokens;
  private final ReplyUsage usage;
  private final ReplyImages parts;

  private ImageReply(
      ImageRequest request, Model model, ReplyStamp stamp, JsonMembers root, int dataAt, int made) {
    ImageOptions options = request.options();
    this.parts = request.isStored() ? ReplyImages.of(root, dataAt) : ReplyImages.NONE;
    this.stamp = stamp;
    this.root = root;
    this.dataAt = dataAt;
    this.images =
        new Quantity.Images(
            made,
            reported("size").or(() -> options.size()),
            reported("quality").or(() -> options.quality()));
    this.isByTokens = model.prices().isByTokens();
    this.usage = ReplyUsage.of(root, ImageUsage.FORMAT, options.plausibleTokensMax(model));
  }

  static Read read(ImageRequest request, Model model, ReplyStamp stamp, byte[] body, int length) {
    var root = new JsonMembers();
    try {
      root.read(body, 0, length);
    } catch (InvalidJson e) {
      return new Read.Malformed("the reply is not valid JSON");
    }
    if (ErrorShape.matches(root, "data")) {
      return new Read.ErrorObject();
    }
    int data = root.indexOf("data");
    int made = data >= 0 && root.kind(data) == JsonKind.ARRAY ? made(root.array(data)) : 0;
    int finish = root.indexOf("finish_reason");
    if (made == 0 && finish >= 0 && root.isString(finish, "content_filter")) {
      return new Read.Filtered("the content filter removed all images");
    }
    return made > 0
        ? new Read.Fine(new ImageReply(request, model, stamp, root, data, made))
        : new Read.Malformed("the reply has no images");
  }

  private static int made(JsonElements data) {
    int made = 0;
    for (int k = 0; k < data.size(); k++) {
      if (data.kind(k) == JsonKind.OBJECT) {
        JsonMembers image = data.object(k);
        made += ReplyImages.isThere(image, "b64_json") || ReplyImages.isThere(image, "url") ? 1 : 0;
      }
    }
    return made;
  }

  private Optional<String> reported(String name) {
    int i = root.indexOf(name);
    return i >= 0 && root.kind(i) == JsonKind.STRING && !root.isString(i, "auto")
        ? Optional.of(root.string(i))
        : Optional.empty();
  }

  @Override
  public Optional<Usage> reportedUsage() {
    return isByTokens ? usage.counts() : Optional.of(usage.counts().orElse(Usage.ZERO));
  }

  @Override
  public List<Quantity> quantities() {
    return List.of(images);
  }

  @Override
  public int parts() {
    return parts.count();
  }

  @Override
  public int partBytesMax(int part) {
    return parts.bytesMax(part);
  }

  @Override
  public Optional<ByteBuf> part(int part) {
    return parts.decoded(part);
  }

  @Override
  public void storedAt(int part, String url) {
    parts.storedAt(part, url);
  }

  @Override
  public long deliveredTokens() {
    return images.count();
  }

  @Override
  public void writeTo(Usage charged, MicroUsd cost, ByteBuf out) {
    new RootEdits(root, stamp)
        .images(
            dataAt, parts.edits(), UsageWriter.images(charged, cost, images.count(), usage.text()))
        .writeTo(out);
  }
}
