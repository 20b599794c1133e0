package dev.tollgate.core.api;

/** Writer state from which a stream that one provider began is continued with another provider. */
public interface ResumePoint {}
