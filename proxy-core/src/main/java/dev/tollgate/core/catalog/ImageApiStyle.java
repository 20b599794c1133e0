package dev.tollgate.core.catalog;

import java.util.List;

/** How a server that speaks OpenAI wants to be asked for images: data, and no code for any. */
public enum ImageApiStyle {
  OPENAI(new Size.Text(), ImageSources.REFERENCES, true, "b64_json", 10, 10, List.of()),
  /** What it draws in other sizes than 1k has another price. */
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

  /** How it is told the size. */
  public sealed interface Size {
    /** As OpenAI is. */
    record Text() implements Size {}

    /** As {@code aspect_ratio}, of which it has these. */
    record Ratio(List<String> known) implements Size {
      public Ratio {
        known = List.copyOf(known);
      }
    }

    /** As {@code width} and {@code height}. */
    record Sides() implements Size {}
  }

  /** How it is given the images that others are made of. */
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

  /** Whether it takes images as the files of a form. */
  public boolean takesForms() {
    return forms;
  }

  /** Its {@code response_format} of images that stand in the reply. */
  public String base64Format() {
    return base64Format;
  }

  /** How many it makes of one request. */
  public int imagesMax() {
    return imagesMax;
  }

  /** Of how many it makes one. */
  public int sourceImagesMax() {
    return sourceImagesMax;
  }

  /** Members that it does not take. */
  public List<String> unsupportedFields() {
    return unsupportedFields;
  }
}
