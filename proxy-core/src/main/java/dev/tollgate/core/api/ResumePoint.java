package dev.tollgate.core.api;

/** State of a writer from which another provider's stream continues. */
public interface ResumePoint {}
