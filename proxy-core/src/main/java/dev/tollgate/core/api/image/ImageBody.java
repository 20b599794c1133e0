package dev.tollgate.core.api.image;

import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.api.MultipartForm;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.catalog.ImageApiStyle;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.InputImage;
import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Body of a client's image request, and its conversion to the body for a provider with OpenAI's
 * dialect.
 */
sealed interface ImageBody {
  String FORMAT = "response_format";

  /** A prompt without images, in JSON. */
  record Prompt(JsonMembers root) implements ImageBody {
    @Override
    public Operation operation() {
      return Operation.IMAGE;
    }

    @Override
    public UpstreamBody upstreamBody(Route route, FormatRequest formatRequest) {
      JsonSplice edits = RequestRoot.edited(root, false, route);
      List<String> dropped = spell(root, operation(), route, formatRequest, edits);
      return new UpstreamBody(edits.toBuffers(), dropped);
    }
  }

  /**
   * A prompt and images in JSON.
   *
   * @param here fetched images or files of a form, by their index; empty before the fetch
   */
  record PromptAndImages(JsonMembers root, Map<Integer, SourceImages.Source> here)
      implements ImageBody {
    @Override
    public Operation operation() {
      return Operation.IMAGE_EDIT;
    }

    /** Rewrites the images only; everything around them is unchanged. */
    @Override
    public UpstreamBody upstreamBody(Route route, FormatRequest formatRequest) {
      JsonSplice edits = RequestRoot.edited(root, false, route);
      List<String> dropped = spell(root, operation(), route, formatRequest, edits);
      ImageRequestEdits.sources(root, sourcesAt(), here, apiStyle(route).sources(), edits);
      ByteBuf[] parts = edits.toBuffers().toArray(ByteBuf[]::new);
      return new UpstreamBody(List.of(Unpooled.wrappedBuffer(parts.length, parts)), dropped);
    }

    private int sourcesAt() {
      return root.indexOf(SourceImages.MEMBER);
    }

    @Override
    public int builtBytes() {
      return SourceImages.referenceBytes(root, sourcesAt(), here);
    }

    @Override
    public List<? extends InputImage> sources() {
      return SourceImages.all(root, sourcesAt(), here);
    }

    @Override
    public int rawBytes() {
      return SourceImages.bytesOf(here);
    }

    @Override
    public List<MediaUrl> remote() {
      return SourceImages.remote(root, sourcesAt());
    }

    @Override
    public ImageBody with(Map<Integer, FetchResult.Image> images) {
      Map<Integer, SourceImages.Source> fetched = new HashMap<>();
      images.forEach((at, image) -> fetched.put(at, SourceImages.of(image)));
      return new PromptAndImages(root, fetched);
    }
  }

  /** A form with images as its files. */
  record Upload(MultipartForm form) implements ImageBody {
    private static final String ROUTING = "routing";

    @Override
    public ImageBody inJson() {
      return ImageFormFields.inJson(form);
    }

    @Override
    public List<String> beyondJson() {
      return ImageFormFields.beyondJson(form);
    }

    @Override
    public Operation operation() {
      return Operation.IMAGE_EDIT;
    }

    @Override
    public UpstreamBody upstreamBody(Route route, FormatRequest formatRequest) {
      Map<String, String> values = new HashMap<>(Map.of("model", route.upstreamModel()));
      List<String> dropped = form.pricedFields(operation(), route);
      Set<String> without = new HashSet<>(dropped);
      without.add(ROUTING);
      switch (formatRequest) {
        case AS_CLIENT -> {}
        case BASE64 -> values.put(FORMAT, ImageFormat.B64_JSON.wire());
        case OMITTED -> without.add(FORMAT);
      }
      var edits = new MultipartForm.Edits(values, without);
      return new UpstreamBody(form.edited(edits), form.contentType(), DroppedFields.of(dropped));
    }
  }

  /** Way to request the format of the images from a provider. */
  enum FormatRequest {
    AS_CLIENT,
    /** The request asks for base64, because the gateway stores the images. */
    BASE64,
    /**
     * The request has no format field, because the provider has one format and does not know the
     * field.
     */
    OMITTED
  }

  Operation operation();

  UpstreamBody upstreamBody(Route route, FormatRequest formatRequest);

  /** Returns the names of what a provider with OpenAI's dialect does not get. */
  default List<String> dropped(Route route) {
    return switch (this) {
      case Upload upload -> DroppedFields.of(upload.form().pricedFields(operation(), route));
      case Prompt _, PromptAndImages _ ->
          canonical()
              .map(
                  root ->
                      ImageRequestEdits.edit(
                          root, operation(), JsonSplice.of(root), route.provider().quirks()))
              .orElse(List.of());
    };
  }

  /** Returns the same body for a provider that takes no forms. */
  default ImageBody inJson() {
    return this;
  }

  /** Returns the names of fields that have no counterpart in JSON. */
  default List<String> beyondJson() {
    return List.of();
  }

  /** Returns the images that the body names by URL. */
  default List<MediaUrl> remote() {
    return List.of();
  }

  /** Returns the same body with fetched images, by their index. */
  default ImageBody with(Map<Integer, FetchResult.Image> images) {
    return this;
  }

  /**
   * Returns the approximate number of newly written bytes of the upstream body; 0 if it consists of
   * the request's own array.
   */
  default int builtBytes() {
    return 0;
  }

  /** Returns the whole request as JSON; empty for a form. */
  default Optional<JsonMembers> canonical() {
    return switch (this) {
      case Prompt words -> Optional.of(words.root());
      case PromptAndImages sources -> Optional.of(sources.root());
      case Upload _ -> Optional.empty();
    };
  }

  /** Returns the size of that JSON in bytes; 0 for a form. */
  default int canonicalBytes() {
    return canonical().map(root -> root.objectEnd() - root.objectStart()).orElse(0);
  }

  /** Returns the source images, all of which are present; none for a form. */
  default List<? extends InputImage> sources() {
    return List.of();
  }

  /** Returns the base64 size of the source images that are not in the JSON body, in bytes. */
  default int rawBytes() {
    return 0;
  }

  /** Returns the API style of a route's provider. */
  static ImageApiStyle apiStyle(Route route) {
    return route.provider().quirks().openAiQuirks().imageApiStyle();
  }

  /** Edits all but the source images, and returns the names of what the provider does not get. */
  private static List<String> spell(
      JsonMembers root,
      Operation operation,
      Route route,
      FormatRequest formatRequest,
      JsonSplice edits) {
    List<String> dropped =
        ImageRequestEdits.edit(root, operation, edits, route.provider().quirks());
    ask(root, edits, formatRequest, apiStyle(route).base64Format());
    return dropped;
  }

  private static void ask(
      JsonMembers root, JsonSplice edits, FormatRequest formatRequest, String bytesWord) {
    int format = root.indexOf(FORMAT);
    JsonBytes bytes = JsonBytes.string(bytesWord);
    switch (formatRequest) {
      case AS_CLIENT -> {
        if (format >= 0 && root.isString(format, ImageFormat.B64_JSON.wire())) {
          edits.replace(format, bytes);
        }
      }
      case BASE64 -> {
        if (format < 0) {
          edits.insertLast(FORMAT, bytes);
        } else {
          edits.replace(format, bytes);
        }
      }
      case OMITTED -> {
        if (format >= 0) {
          edits.delete(format);
        }
      }
    }
  }
}
