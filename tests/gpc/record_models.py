"""Fits small models of GPflow or GPyTorch and records them for `reject_nb.gpc.experiments.library_models`.

`python -m tests.gpc.record_models gpflow`, from the root of the repository, in an environment that has the library."""
import json
import sys
import time
import types

import numpy as np

from reject_nb.core.files import out_dir, record_made
from reject_nb.gpc.advanced.importers import probes, value_of

FOLDER, COMMAND = "gpc/imported", "python -m tests.gpc.record_models"


ATTRIBUTES = (
    "kernel", "kernels", "base_kernel", "variance", "lengthscales", "lengthscale", "outputscale", "alpha",
    "constant", "nu",
    "active_dims", "inducing_variable", "Z", "data", "q_mu", "q_sqrt", "q_alpha", "q_lambda", "whiten",
    "num_latent_gps",
    "mean_function", "c", "likelihood", "invlink", "mean_module", "covar_module", "variational_strategy",
    "inducing_points",
    "jitter_val", "variational_distribution", "mean", "covariance_matrix", "train_inputs", "train_targets",
    "noise", "batch_shape",
    "has_lengthscale")
LEAVES = (bool, int, float, str, type(None))

def freeze(
    thing,        # an object of a library
    arrays:list,  # arrays found so far; grows
    names:tuple=ATTRIBUTES, # attributes to keep
):
    "The tree of an object."
    if isinstance(thing, LEAVES): return {"value": thing}
    if isinstance(thing, slice): return {"slice": [thing.start, thing.stop, thing.step]}
    if isinstance(thing, types.FunctionType):
        return {"kind": "function", "has": {"__name__": {"value": thing.__name__}}}
    if hasattr(thing, "numpy") or hasattr(thing, "detach") or isinstance(thing, (np.ndarray, np.generic)):
        arrays.append(value_of(thing))
        return {"array": len(arrays) - 1}
    if isinstance(thing, (tuple, list)) or type(thing).__name__ in ("ModuleList", "ListWrapper", "Size"):
        return {"list": [freeze(part, arrays, names) for part in thing]}
    has = {name: freeze(getattr(thing, name), arrays, names) for name in names
           if getattr(thing, name, None) is not None}
    return {"kind": type(thing).__name__, "has": has}


def _two_moons(n:int, seed:int) -> tuple[np.ndarray, np.ndarray]:
    "Points on two half circles with noise, and their class."
    rng = np.random.default_rng(seed)
    angle, y = rng.uniform(0, np.pi, n), np.arange(n) % 2
    X = np.column_stack([np.cos(angle) + y, np.sin(angle)*(1 - 2*y) + .5*y])
    return X + .25*rng.normal(size=(n, 2)), y.astype(float)

def _gpflow(seed:int) -> dict:
    "Fitted models of GPflow."
    import gpflow
    import tensorflow as tf
    k, m = gpflow.kernels, gpflow.models
    X, y = _two_moons(60, seed)
    Y, Z, few = y[:, None], X[:10].copy(), slice(0, 24)
    bernoulli, sigmoid = gpflow.likelihoods.Bernoulli, gpflow.likelihoods.Bernoulli(tf.sigmoid)
    constant = gpflow.functions.Constant if hasattr(gpflow, "functions") else gpflow.mean_functions.Constant
    def svgp(kernel, likelihood=None, **more):
        return m.SVGP(kernel, likelihood or bernoulli(), Z, num_data=60, **more)
    models = {
        "svgp": svgp(k.SquaredExponential(lengthscales=[1., 1.])),
        "values": svgp(k.Matern52(lengthscales=[1., .7]), whiten=False),
        "sum": svgp(k.SquaredExponential() + k.Linear(variance=.3) + k.Constant(.2),
                    mean_function=constant(.1)),
        "product": svgp(k.SquaredExponential(active_dims=[0])*k.Matern32(active_dims=slice(1, 2)),
                        q_diag=True),
        "rational quadratic": svgp(k.RationalQuadratic(), whiten=False, mean_function=constant(.3)),
        "white": svgp(k.Matern12() + k.White(.1)),
        "sigmoid": svgp(k.SquaredExponential(), sigmoid),
        "vgp": m.VGP((X[few], Y[few]), k.Exponential(lengthscales=[.5, .8]), bernoulli()),
        "opper": m.VGPOpperArchambeau((X[few], Y[few]), k.Matern52()*k.Constant(2.), bernoulli()),
        "gpr": m.GPR((X[few], X[few, :1]**2), k.Matern32() + k.Linear(), mean_function=constant(.5),
                     noise_variance=.1),
        "sgpr": m.SGPR((X, X[:, :1]**2), k.SquaredExponential(), Z, noise_variance=.1)}
    for name, model in models.items():
        loss = model.training_loss_closure((X, Y)) if isinstance(model, m.SVGP) else model.training_loss
        gpflow.optimizers.Scipy().minimize(loss, model.trainable_variables, options={"maxiter": 25})
    return models


def _gpytorch_classes(mean, covar, strategy, law):
    "A class of sparse models as a user writes it."
    import gpytorch

    class Sparse(gpytorch.models.ApproximateGP):
        def __init__(self, Z):
            super().__init__(strategy(self, Z, law(len(Z)), learn_inducing_locations=True))
            self.mean_module, self.covar_module = mean, covar
        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))
    return Sparse

def _exact_gpytorch(X, y):
    "A regression of GPyTorch."
    import gpytorch

    class Exact(gpytorch.models.ExactGP):
        def __init__(self, X, y, likelihood):
            super().__init__(X, y, likelihood)
            self.mean_module = gpytorch.means.ConstantMean()
            rough = gpytorch.kernels.MaternKernel(nu=1.5, ard_num_dims=2)
            self.covar_module = gpytorch.kernels.ScaleKernel(rough)
        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))
    return Exact(X, y, gpytorch.likelihoods.GaussianLikelihood())


def _train(model, likelihood, objective, X, y):
    "A few steps of Adam; the model keeps its likelihood as `own_likelihood`."
    import torch
    model.train(), likelihood.train()
    steps = torch.optim.Adam(list(dict.fromkeys([*model.parameters(), *likelihood.parameters()])), lr=.05)
    for _ in range(60):
        steps.zero_grad()
        (-objective(model(X), y)).backward()
        steps.step()
    model.eval(), likelihood.eval()
    object.__setattr__(model, "own_likelihood", likelihood)
    return model


def _gpytorch(seed:int) -> dict:
    "Fitted models of GPyTorch."
    import gpytorch
    import torch
    g, v, means = gpytorch.kernels, gpytorch.variational, gpytorch.means
    torch.manual_seed(seed)
    torch.set_default_dtype(torch.float64)
    X, y = (torch.as_tensor(part) for part in _two_moons(60, seed))
    whitened, plain = v.VariationalStrategy, v.UnwhitenedVariationalStrategy
    full, diagonal = v.CholeskyVariationalDistribution, v.MeanFieldVariationalDistribution
    twice = g.ScaleKernel(g.ScaleKernel(g.MaternKernel(nu=1.5, active_dims=(1,)), active_dims=(1, 0)))
    rough = g.RBFKernel(active_dims=(0,))*g.MaternKernel(nu=.5, active_dims=(1,))
    makes = {
        "svgp": (means.ConstantMean(), g.ScaleKernel(g.RBFKernel(ard_num_dims=2)), whitened, full),
        "values": (means.ConstantMean(), g.ScaleKernel(g.MaternKernel(nu=2.5)), plain, full),
        "diagonal": (means.ZeroMean(), g.ScaleKernel(g.RQKernel(ard_num_dims=2)), whitened, diagonal),
        "sum": (means.ZeroMean(), g.ScaleKernel(g.RBFKernel()) + g.LinearKernel() + g.ConstantKernel(),
                whitened, full),
        "product": (means.ConstantMean(), rough, plain, full),
        "nested": (means.ZeroMean(), twice, whitened, full)}
    models = {}
    for name, make in makes.items():
        model = _gpytorch_classes(*make)(X[:10].clone())
        likelihood = gpytorch.likelihoods.BernoulliLikelihood()
        models[name] = _train(model, likelihood, gpytorch.mlls.VariationalELBO(likelihood, model, len(y)),
                              X, y)
    exact = _exact_gpytorch(X[:24], X[:24, 0]**2)
    models["regression"] = _train(exact, exact.likelihood,
                                  gpytorch.mlls.ExactMarginalLogLikelihood(exact.likelihood, exact),
                                  X[:24], X[:24, 0]**2)
    return models


def fitted(
    library:str, # "gpflow" or "gpytorch"
    seed:int=0,  # of data and start
) -> dict:       # name -> fitted model
    "Fit all models of a library, which must be installed."
    return {"gpflow": _gpflow, "gpytorch": _gpytorch}[library](seed)

def _predictions(library:str, model, P:np.ndarray) -> tuple: # mean, variance, own number
    "What a model of the library says."
    if library == "gpflow":
        mean, var = (value_of(part)[:, 0] for part in model.predict_f(P))
        return mean, var, value_of(model.predict_y(P)[0])[:, 0]
    found = model(model_points(model).new_tensor(P))
    return tuple(value_of(part) for part in (found.mean, found.variance, model.own_likelihood(found).mean))

def model_points(model):
    "The training or inducing points of a model of either library, as it keeps them."
    if hasattr(model, "variational_strategy"): return model.variational_strategy.inducing_points
    if hasattr(model, "train_inputs"): return model.train_inputs[0]
    return model.inducing_variable.Z if hasattr(model, "inducing_variable") else model.data[0]


def record(
    library:str, # "gpflow" or "gpytorch"
) -> None:
    "Fit the models of a library and write them to their file."
    began, kept, trees = time.perf_counter(), {}, {}
    for name, model in fitted(library).items():
        arrays:list = []
        tree = freeze(model, arrays)
        own = freeze(model.own_likelihood, arrays) if library == "gpytorch" else None
        P = probes(value_of(model_points(model)))
        kept.update({f"{name}/{part}": value for part,
                     value in zip(("P", "mean", "var", "p"), (P, *_predictions(library, model, P)))})
        kept.update({f"{name}/{k}": array for k, array in enumerate(arrays)})
        trees[name] = {"model": tree, "likelihood": own, "count": len(arrays)}
    path = out_dir()/FOLDER/f"{library}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, trees=json.dumps(trees), **kept)
    record_made("gpc", f"imported/{library}.npz", f"{COMMAND} {library}", time.perf_counter() - began,
                out_dir())

def main(
    names=None, # libraries; those of the command line by default
) -> int:       # exit status
    "Fit and record again."
    for library in sys.argv[1:] if names is None else names: record(library)
    return 0

if __name__ == "__main__": sys.exit(main())
