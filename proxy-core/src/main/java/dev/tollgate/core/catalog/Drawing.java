package dev.tollgate.core.catalog;

import java.util.List;

/** How a server that speaks OpenAI wants to be asked for images: data, and no code for any. */
public enum Drawing {
  OPENAI(new Size.Text(), Sources.REFERENCES, true, "b64_json", 10, 10, List.of()),
  /** What it draws in other sizes than 1k has another price. */
  XAI(
      new Size.Ratio(
          List.of(
              "1:1", "3:4", "4:3", "9:16", "16:9", "2:3", "3:2", "1:2", "2:1", "9:19.5", "19.5:9",
              "9:20", "20:9")),
      Sources.TYPED_REFERENCES,
      false,
      "b64_json",
      10,
      3,
      List.of("quality", "style", "resolution")),
  TOGETHER(
      new Size.Sides(),
      Sources.ONE_ADDRESS,
      false,
      "base64",
      4,
      1,
      List.of("quality", "style", "user"));

  @SuppressWarnings("ImmutableEnumChecker") // records of unmodifiable lists
  private final Size size;

  private final Sources sources;
  private final boolean forms;
  private final String bytesWord;
  private final int imagesMax;
  private final int sourcesMax;

  @SuppressWarnings("ImmutableEnumChecker") // unmodifiable
  private final List<String> refused;

  Drawing(
      Size size,
      Sources sources,
      boolean forms,
      String bytesWord,
      int imagesMax,
      int sourcesMax,
      List<String> refused) {
    this.size = size;
    this.sources = sources;
    this.forms = forms;
    this.bytesWord = bytesWord;
    this.imagesMax = imagesMax;
    this.sourcesMax = sourcesMax;
    this.refused = refused;
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
  public enum Sources {
    /** A list of objects with an {@code image_url} each. */
    REFERENCES,
    /** A list of objects with a {@code type} and a {@code url} each. */
    TYPED_REFERENCES,
    /** One {@code image_url}, and not as an edit. */
    ONE_ADDRESS
  }

  public Size size() {
    return size;
  }

  public Sources sources() {
    return sources;
  }

  /** Whether it takes images as the files of a form. */
  public boolean takesForms() {
    return forms;
  }

  /** Its {@code response_format} of images that stand in the reply. */
  public String bytesWord() {
    return bytesWord;
  }

  /** How many it makes of one request. */
  public int imagesMax() {
    return imagesMax;
  }

  /** Of how many it makes one. */
  public int sourcesMax() {
    return sourcesMax;
  }

  /** Members that it does not take. */
  public List<String> refused() {
    return refused;
  }
}
