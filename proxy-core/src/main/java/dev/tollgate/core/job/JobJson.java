package dev.tollgate.core.job;

import dev.tollgate.core.job.JobArtifact.Frame;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.storage.BlobName;
import dev.tollgate.core.storage.SignedUrl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes media jobs as the JSON objects that clients see in API replies and webhooks. */
public final class JobJson {
  private JobJson() {}

  /**
   * Returns the whole job (docs/decisions/jobs.md#object).
   *
   * @param sign signs a new URL of a stored blob
   */
  public static JsonBytes of(Job job, Function<BlobName, SignedUrl> sign) {
    return JsonBytes.value(tree(job, sign));
  }

  /** Returns the whole job as a tree, to be written within another object. */
  public static Map<String, @Nullable Object> tree(Job job, Function<BlobName, SignedUrl> sign) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("id", job.id().toString());
    tree.put("object", job.kind().object());
    tree.put("request_id", job.request().value());
    tree.put("org_id", job.org().toString());
    tree.put("kind", job.kind().wire());
    tree.put("model", job.model());
    tree.put("provider", job.provider());
    tree.put("status", job.status().wire());
    tree.put("progress", job.progress());
    tree.put("estimated_cost_micro", job.estimated().value());
    tree.put("max_cost_micro", job.max().value());
    tree.put("cost_micro", job.cost().value());
    tree.put("error", failure(job.failure()));
    tree.put("params", job.params());
    tree.put("artifacts", artifacts(job, sign));
    tree.put("webhook_url", job.webhookUrl());
    tree.put("metadata", job.metadata());
    tree.put("created_at", job.createdAt().toString());
    tree.put("started_at", text(job.startedAt()));
    tree.put("completed_at", text(job.completedAt()));
    tree.put("expires_at", job.expiresAt().toString());
    return tree;
  }

  /** Returns the reply to its submission. */
  public static JsonBytes accepted(Job job) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("id", job.id().toString());
    tree.put("object", job.kind().object());
    tree.put("status", job.status().wire());
    tree.put("model", job.model());
    tree.put("created_at", job.createdAt().toString());
    tree.put("estimated_cost_micro", job.estimated().value());
    return JsonBytes.value(tree);
  }

  private static @Nullable Object failure(@Nullable JobFailure failure) {
    if (failure == null) {
      return null;
    }
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("code", failure.code());
    tree.put("message", failure.message());
    return tree;
  }

  private static List<Object> artifacts(Job job, Function<BlobName, SignedUrl> sign) {
    List<Object> all = new ArrayList<>();
    for (JobArtifact artifact : job.artifacts()) {
      all.add(artifact(artifact, sign.apply(artifact.blob())));
    }
    return all;
  }

  private static Map<String, @Nullable Object> artifact(JobArtifact artifact, SignedUrl url) {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("id", artifact.id().toString());
    tree.put("type", artifact.type().wire());
    tree.put("content_type", artifact.contentType());
    tree.put("size_bytes", artifact.sizeBytes());
    tree.put("width", artifact.frame().map(Frame::width).orElse(null));
    tree.put("height", artifact.frame().map(Frame::height).orElse(null));
    tree.put("duration_seconds", artifact.durationSeconds());
    tree.put("url", url.url());
    tree.put("expires_at", url.expiresAt().toString());
    return tree;
  }

  private static @Nullable String text(@Nullable Instant at) {
    return at == null ? null : at.toString();
  }
}
