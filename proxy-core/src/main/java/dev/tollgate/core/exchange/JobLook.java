package dev.tollgate.core.exchange;

import dev.tollgate.core.blob.BlobName;
import dev.tollgate.core.blob.SignedUrl;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.job.Job;
import dev.tollgate.core.job.JobId;
import dev.tollgate.core.job.JobJson;
import dev.tollgate.core.job.JobKind;
import dev.tollgate.core.job.Jobs;
import dev.tollgate.core.json.JsonBytes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A look at a media job, or its end by its owner. Whether a job is another organization's, of
 * another kind or nowhere at all cannot be told apart.
 */
final class JobLook extends JobTask {
  private static final Duration LOOK_MAX = Duration.ofSeconds(4);
  private static final Duration END_MAX = Duration.ofSeconds(15);
  static final Fault NOWHERE = Fault.of(ErrorCode.NOT_FOUND, "There is no such job.");
  static final Fault CROWDED =
      Fault.of(
              ErrorCode.CONCURRENCY_EXCEEDED,
              "Too many of the organization's requests ask for jobs at once.")
          .withRetryAfter(1);
  private static final Fault GOES_ON =
      Fault.of(ErrorCode.JOB_NOT_CANCELLABLE, "The job cannot be canceled at this moment.");

  private final @Nullable JobKind kind;
  private final Wish wish;

  /** What is to be done with the job. */
  enum Wish {
    SHOW,
    DELETE
  }

  /**
   * @param kind null: whatever it is
   */
  JobLook(
      ExchangeContext context,
      ExchangeRequest request,
      Downstream downstream,
      @Nullable JobKind kind,
      Wish wish) {
    super(context, request, downstream);
    this.kind = kind;
    this.wish = wish;
  }

  @Override
  void work() {
    Optional<JobId> id = JobId.parse(request.argument());
    if (id.isEmpty() || context.jobs().isEmpty()) {
      refuse(NOWHERE, Ending.REJECTED);
      return;
    }
    Jobs jobs = context.jobs().get().jobs();
    var org = request.key().org().id();
    switch (wish) {
      case SHOW -> {
        waitAtMost(LOOK_MAX);
        jobs.find(org, id.get(), downstream.loop(), found -> guarded(() -> found(found)));
      }
      case DELETE -> {
        waitAtMost(END_MAX);
        jobs.delete(
            org, kind, id.get(), downstream.loop(), deleted -> guarded(() -> deleted(deleted)));
      }
    }
  }

  @Override
  void letGo() {}

  private void found(Jobs.Found found) {
    switch (found) {
      case Jobs.Found.Here here when kind == null || here.job().kind() == kind -> show(here.job());
      case Jobs.Found.Here _, Jobs.Found.Nowhere _ -> refuse(NOWHERE, Ending.REJECTED);
      case Jobs.Found.Crowded _ -> refuse(CROWDED, Ending.REJECTED);
      case Jobs.Found.Unavailable unavailable -> unavailable(unavailable.reason());
    }
  }

  private void deleted(Jobs.Deleted deleted) {
    switch (deleted) {
      case Jobs.Deleted.Canceled canceled -> show(canceled.job());
      case Jobs.Deleted.Removed _ -> end(() -> reply.answer(204, List.of(), null, null));
      case Jobs.Deleted.NotCancellable _ -> refuse(GOES_ON, Ending.REJECTED);
      case Jobs.Deleted.Nowhere _ -> refuse(NOWHERE, Ending.REJECTED);
      case Jobs.Deleted.Crowded _ -> refuse(CROWDED, Ending.REJECTED);
      case Jobs.Deleted.Unavailable unavailable -> unavailable(unavailable.reason());
    }
  }

  private void show(Job job) {
    JsonBytes json = JobJson.of(job, this::signed);
    end(() -> reply.answer(200, List.of(), json, null));
  }

  /** Where nothing is stored any more nothing can be fetched. */
  private SignedUrl signed(BlobName name) {
    return switch (context.outputs()) {
      case Outputs.Kept kept -> kept.blobs().url(name);
      case Outputs.Passed _ -> new SignedUrl("", context.clock().instant());
    };
  }
}
