package dev.tollgate.core.http.multipart;

/**
 * One part of a form, as offsets into the array that holds it.
 *
 * @param start of the delimiter ahead of it, its dashes included
 * @param from where its content starts
 * @param to where that ends; the line end behind belongs to the next delimiter
 * @param isFile whether a file name was given, so that it is no field of text
 */
public record FormPart(String name, boolean isFile, int start, int from, int to) {
  public int sizeBytes() {
    return to - from;
  }
}
