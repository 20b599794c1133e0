package dev.tollgate.core.catalog;

import java.util.List;

/**
 * Variant of OpenAI's image API that a server implements, with its image sizes, formats and limits.
 * Constants are data only, without code per server.
 */
public enum ImageApiStyle {
  OPENAI(new Size.Text(), ImageSources.REFERENCES, true, "b64_json", 10, 10, List.of()),
  /** Sizes other than 1k have another price. */
  XAI(
      new Size.Ratio(
          List.of(
              "1:1", "3:4", "4:3", "9:16", "16:9", "2:3", "3:2", "1:2", "2:1", "9:19.5", "19.5:9",
              "9:20", "20:9")),
      ImageSources.TYPED_REFERENCES,
      false,
      "b64_json",
      10,
      3,
      List.of("quality", "style", "resolution")),
  TOGETHER(
      new Size.Sides(),
      ImageSources.SINGLE_URL,
      false,
      "base64",
      4,
      1,
      List.of("quality", "style", "user"));

  @SuppressWarnings("ImmutableEnumChecker") // records of unmodifiable lists
  private final Size size;

  private final ImageSources sources;
  private final boolean forms;
  private final String base64Format;
  private final int imagesMax;
  private final int sourceImagesMax;

  @SuppressWarnings("ImmutableEnumChecker") // unmodifiable
  private final List<String> unsupportedFields;

  ImageApiStyle(
      Size size,
      ImageSources sources,
      boolean forms,
      String base64Format,
      int imagesMax,
      int sourceImagesMax,
      List<String> unsupportedFields) {
    this.size = size;
    this.sources = sources;
    this.forms = forms;
    this.base64Format = base64Format;
    this.imagesMax = imagesMax;
    this.sourceImagesMax = sourceImagesMax;
    this.unsupportedFields = unsupportedFields;
  }

  /** Form of the image size in a request. */
  public sealed interface Size {
    /** OpenAI's form, such as {@code 1024x1536}. */
    record Text() implements Size {}

    /** Image size as an {@code aspect_ratio} out of a list. */
    record Ratio(List<String> known) implements Size {
      public Ratio {
        known = List.copyOf(known);
      }
    }

    /** Image size as the members {@code width} and {@code height}. */
    record Sides() implements Size {}
  }

  /** Form of the input images in a request. */
  public enum ImageSources {
    /** A list of objects with an {@code image_url} each. */
    REFERENCES,
    /** A list of objects with a {@code type} and a {@code url} each. */
    TYPED_REFERENCES,
    /** One {@code image_url}, and not as an edit. */
    SINGLE_URL
  }

  public Size size() {
    return size;
  }

  public ImageSources sources() {
    return sources;
  }

  /** True if the server takes images as files of a form. */
  public boolean takesForms() {
    return forms;
  }

  /** Returns the {@code response_format} of images inside the reply. */
  public String base64Format() {
    return base64Format;
  }

  /** Returns the highest number of images per request. */
  public int imagesMax() {
    return imagesMax;
  }

  /** Returns the highest number of input images. */
  public int sourceImagesMax() {
    return sourceImagesMax;
  }

  /** Returns the members that the server does not accept. */
  public List<String> unsupportedFields() {
    return unsupportedFields;
  }
}
