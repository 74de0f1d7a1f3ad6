"""Exceptions of the package."""


class InputError(ValueError):
    """Input that is refused. ``problems`` lists all of its problems, one line each."""

    def __init__(self, problems):
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        super().__init__("\n".join(self.problems))

    def __reduce__(self):
        return type(self), (self.problems,)


class DeviceError(RuntimeError):
    """A GPU that is missing, that has too little memory, or that failed; or a build without GPU support."""


class RunFailed(RuntimeError):
    """The solver could not continue; the message has time and state."""


class RunDiverged(RunFailed):
    """The motion grew without limit."""
