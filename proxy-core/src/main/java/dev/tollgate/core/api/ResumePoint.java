package dev.tollgate.core.api;

/**
 * State of the client-side writer of a broken stream, from which the writer for another provider's
 * stream continues.
 */
public interface ResumePoint {}
