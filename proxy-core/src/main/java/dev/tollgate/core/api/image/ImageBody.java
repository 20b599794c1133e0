package dev.tollgate.core.api.image;

import dev.tollgate.core.api.MultipartForm;
import dev.tollgate.core.api.RemoteImage;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.catalog.ImageApiStyle;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.InputImage;
import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How a request for images came, and how it leaves for a provider that speaks OpenAI. */
sealed interface ImageBody {
  String FORMAT = "response_format";

  /** Words alone, in JSON. */
  record Prompt(JsonMembers root) implements ImageBody {
    @Override
    public Operation operation() {
      return Operation.IMAGE;
    }

    @Override
    public UpstreamBody upstreamBody(Route route, FormatRequest formatRequest) {
      JsonSplice edits = spelled(root, route, formatRequest);
      return new UpstreamBody(edits.toBuffers(), ImageRequestEdits.refused(root, apiStyle(route)));
    }
  }

  /**
   * Words and images in JSON.
   *
   * @param here those that were named by URL, by where they stand, none before they were fetched;
   *     or the files of a form
   */
  record PromptAndImages(JsonMembers root, Map<Integer, SourceImages.Source> here)
      implements ImageBody {
    @Override
    public Operation operation() {
      return Operation.IMAGE_EDIT;
    }

    /** Only the images are written anew; whatever stands around them leaves as it came. */
    @Override
    public UpstreamBody upstreamBody(Route route, FormatRequest formatRequest) {
      ImageApiStyle style = apiStyle(route);
      JsonSplice edits = spelled(root, route, formatRequest);
      ImageRequestEdits.sources(root, sourcesAt(), here, style.sources(), edits);
      ByteBuf[] parts = edits.toBuffers().toArray(ByteBuf[]::new);
      List<ByteBuf> whole = List.of(Unpooled.wrappedBuffer(parts.length, parts));
      return new UpstreamBody(whole, ImageRequestEdits.refused(root, style));
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
    public List<RemoteImage> remote() {
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
      String model = route.upstreamModel();
      var edits =
          switch (formatRequest) {
            case AS_CLIENT -> new MultipartForm.Edits(Map.of("model", model), Set.of(ROUTING));
            case BASE64 -> {
              Map<String, String> values =
                  Map.of("model", model, FORMAT, ImageFormat.B64_JSON.wire());
              yield new MultipartForm.Edits(values, Set.of(ROUTING));
            }
            case OMITTED ->
                new MultipartForm.Edits(Map.of("model", model), Set.of(ROUTING, FORMAT));
          };
      return new UpstreamBody(form.edited(edits), form.contentType(), List.of());
    }
  }

  /** How a provider is asked for the form of its images. */
  enum FormatRequest {
    AS_CLIENT,
    /** What is stored has to be here. */
    BASE64,
    /** It has but one, and knows no field for it. */
    OMITTED
  }

  Operation operation();

  UpstreamBody upstreamBody(Route route, FormatRequest formatRequest);

  /** The same for a provider that takes no forms. */
  default ImageBody inJson() {
    return this;
  }

  /** Names of fields that JSON has no word for. */
  default List<String> beyondJson() {
    return List.of();
  }

  /** The images that it names by URL. */
  default List<RemoteImage> remote() {
    return List.of();
  }

  /** The same with these images, by where they stand. */
  default ImageBody with(Map<Integer, FetchResult.Image> images) {
    return this;
  }

  /** About how many bytes of what leaves are made anew; 0: all of them are the request's own. */
  default int builtBytes() {
    return 0;
  }

  /** The whole request as JSON; empty where it is a form. */
  default Optional<JsonMembers> canonical() {
    return switch (this) {
      case Prompt words -> Optional.of(words.root());
      case PromptAndImages sources -> Optional.of(sources.root());
      case Upload _ -> Optional.empty();
    };
  }

  /** How many bytes that has; 0: it is none. */
  default int canonicalBytes() {
    return canonical().map(root -> root.objectEnd() - root.objectStart()).orElse(0);
  }

  /** The images that others are made of, all of which are here; of a form none. */
  default List<? extends InputImage> sources() {
    return List.of();
  }

  /** How many bytes those have in base64 that do not stand in it so. */
  default int rawBytes() {
    return 0;
  }

  /** How a route's provider wants to be asked. */
  static ImageApiStyle apiStyle(Route route) {
    return route.provider().quirks().openAiQuirks().imageApiStyle();
  }

  private static JsonSplice spelled(JsonMembers root, Route route, FormatRequest formatRequest) {
    JsonSplice edits = RequestRoot.edited(root, false, route);
    ImageRequestEdits.edit(root, edits, apiStyle(route));
    ask(root, edits, formatRequest, apiStyle(route).base64Format());
    return edits;
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
