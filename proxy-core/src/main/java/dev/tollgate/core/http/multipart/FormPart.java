package dev.tollgate.core.http.multipart;

/**
 * Part of a multipart form, as offsets into the array that contains the form.
 *
 * @param start start of the delimiter before the part, with its dashes
 * @param from start of the content
 * @param to end of the content; the line end after it belongs to the next delimiter
 * @param isFile true if a file name is present, so that the part is not a text field
 */
public record FormPart(String name, boolean isFile, int start, int from, int to) {
  public int sizeBytes() {
    return to - from;
  }
}
