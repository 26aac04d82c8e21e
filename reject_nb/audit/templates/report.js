(function(){
var page=document.documentElement, data=JSON.parse(document.getElementById('rows').textContent);
var slider=document.getElementById('slider'), marker=document.getElementById('marker');
function share(v){return (v/100).toFixed(2)+' %'}
function put(id,text){document.getElementById(id).textContent=text}
function show(){
  var i=+slider.value, c=data.coverage[i], r=data.risk[i], u=data.certified[i];
  put('at-threshold',data.threshold[i]); put('at-coverage',share(c));
  put('at-risk',share(r)); put('at-certified',share(u));
  put('of-thousand','Of '+data.n.toLocaleString('en')+' cases like these about '
      +Math.floor(data.n*c/1e4+1e-7).toLocaleString('en')+' are answered; about '
      +Math.round(data.n*c*r/1e8).toLocaleString('en')+' of them wrong.');
  slider.setAttribute('aria-valuetext','answers '+share(c)+', certified risk '+share(u));
  var f=data.frame, x=f[0]+c/1e4*(f[1]-f[0]), y=Math.max(f[2],f[3]-r/1e4/f[4]*(f[3]-f[2]));
  marker.firstChild.setAttribute('x1',x); marker.firstChild.setAttribute('x2',x);
  marker.lastChild.setAttribute('cx',x); marker.lastChild.setAttribute('cy',y);
}
slider.addEventListener('input',show);
document.querySelectorAll('button[data-at]').forEach(function(b){
  b.addEventListener('click',function(){slider.value=b.dataset.at; show(); slider.focus()})});
page.className='js'; show();
})();
