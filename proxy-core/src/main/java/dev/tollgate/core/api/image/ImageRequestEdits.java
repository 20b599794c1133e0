package dev.tollgate.core.api.image;

import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.catalog.ImageApiStyle;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.dialect.PricedOption;
import dev.tollgate.core.dialect.gemini.AspectRatio;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Rewrites the fields of an image request for one provider with OpenAI's dialect. */
final class ImageRequestEdits {
  private static final String SIZE = "size";

  private ImageRequestEdits() {}

  /**
   * Edits all fields except source images and response format.
   *
   * @return the names of present fields that the provider does not accept, or that its clients have
   *     no right to
   */
  static List<String> edit(
      JsonMembers root, Operation operation, JsonSplice edits, Provider.Quirks quirks) {
    ImageApiStyle style = quirks.openAiQuirks().imageApiStyle();
    var dropped = new DroppedFields();
    for (String name : style.unsupportedFields()) {
      delete(root, edits, name);
      if (RequestRoot.isGiven(root, name)) {
        dropped.add(name);
      }
    }
    dropped.addAll(PricedOption.drop(root, operation, quirks, edits), UnaryOperator.identity());
    if (RequestRoot.isGiven(root, SIZE)) {
      String size = root.string(root.indexOf(SIZE));
      switch (style.size()) {
        case ImageApiStyle.Size.Text() -> {}
        case ImageApiStyle.Size.Ratio(List<String> known) -> {
          String ratio = AspectRatio.nearest(size, known);
          put(root, edits, "aspect_ratio", JsonBytes.string(ratio));
          delete(root, edits, SIZE);
        }
        case ImageApiStyle.Size.Sides() -> {
          int x = size.indexOf('x');
          put(root, edits, "width", JsonBytes.raw(size.substring(0, x)));
          put(root, edits, "height", JsonBytes.raw(size.substring(x + 1)));
          delete(root, edits, SIZE);
        }
      }
    }
    return dropped.paths();
  }

  private static void delete(JsonMembers root, JsonSplice edits, String name) {
    for (int i = root.indexOf(name); i >= 0; i = root.indexOf(name, i + 1)) {
      edits.delete(i);
    }
  }

  /** Inserts the member in front of the client's own of that name: the size is what is charged. */
  private static void put(JsonMembers root, JsonSplice edits, String name, JsonBytes value) {
    int i = root.indexOf(name);
    if (i < 0) {
      edits.insertAfter(root.indexOf(SIZE), name, value);
    } else {
      edits.replace(i, value);
    }
  }

  /** Inserts the source images in place of those that the client named. */
  static void sources(
      JsonMembers root,
      int at,
      Map<Integer, SourceImages.Source> here,
      ImageApiStyle.ImageSources as,
      JsonSplice edits) {
    JsonBytes images = SourceImages.references(root, at, here, as);
    String name = as == ImageApiStyle.ImageSources.SINGLE_URL ? "image_url" : "images";
    delete(root, edits, name); // the server could use a null of that name instead
    edits.insertAfter(at, name, images);
    edits.delete(at);
  }
}
